// Reports of planted misuses at their limits, compared as a whole with a record.
// SPDX-License-Identifier: Apache-2.0
//
// A collective is an operation that the lanes of a warp perform together. The host device simulates
// a GPU on the CPU. A misuse is an access or a call that breaks a rule of the GPU, and ends the
// launch with a report. Each kernel here runs with numbers on both sides of a limit, in one order
// of threads, so that the report is the same each time; record.plant() launches it, with a shape
// such as block_of(threads, bytes of shared memory). word(i) is float i of that memory, barrier()
// an mbarrier in it, which make_barrier(arrivals) initialises, and nap() sleeps for so many
// nanoseconds. reports.txt has the reports. To change them on purpose, record the file:
//     SPIO_RECORD_REPORTS=tests/sim/reports.txt build/ci/tests/test_sim -tc="*reports*recorded*"
#include "report_record.h"

#include "machine/cluster_store.h"
#include "machine/launch_control.h"
#include "machine/warp.h"

#include <climits>
#include <string>

namespace {

void plant_launches(report_record& record) {
    auto const empty = [] {};
    for (spio::extent const grid : {spio::extent{1, 65535, 1},
                                    {1, 65536, 1},
                                    {1, 1, 65536},
                                    {0},
                                    {-1},
                                    {1, 0, 1},
                                    {1, 1, 0},
                                    {2, 3, 4},
                                    {4, 4, 4},
                                    {3, 4, 4},
                                    {16}}) {
        for (spio::extent const cluster :
             {spio::extent{}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {16}, {17}, {0}}) {
            bool const is_many = grid.y > 1000 && cluster.y != 0;
            if (is_many && cluster != spio::extent{}) continue;
            record.plant("grid" + text_of(grid.x) + text_of(grid.y) + text_of(grid.z) + " cluster" +
                             text_of(cluster.x) + text_of(cluster.y) + text_of(cluster.z),
                         {.grid = grid, .shape = {.cluster = cluster}}, empty);
        }
    }
    for (spio::extent const block : {spio::extent{1024},
                                     {1025},
                                     {32, 32},
                                     {32, 33},
                                     {1, 1, 64},
                                     {1, 1, 65},
                                     {1, 1024},
                                     {1, 1025},
                                     {4, 4, 64},
                                     {0},
                                     {1, -1}}) {
        record.plant("block" + text_of(block.x) + text_of(block.y) + text_of(block.z),
                     {.shape = {.block = block}}, empty);
    }
    for (int const bytes : {-1, 0, spio::max_shared_bytes, spio::max_shared_bytes + 1}) {
        record.plant("shared" + text_of(bytes), block_of(32, bytes), empty);
    }
}

void plant_barriers(report_record& record) {
    for (int const size : {64, 40}) {
        for (int const number : {-1, 0, 15, 16}) {
            for (int const threads : {-32, 0, 8, 31, 32, 33, 40, 64, 96}) {
                record.plant("barrier" + text_of(number) + " for" + text_of(threads) + " of" +
                                 text_of(size),
                             block_of(size), [&] {
                                 if (thread() < threads) machine::sync_threads(number, threads);
                                 if (threads <= 0) machine::arrive_threads(number, threads);
                             });
            }
        }
    }
    record.plant("another count", block_of(96),
                 [] { machine::arrive_threads(3, thread() < 32 ? 96 : 64); });
    record.plant("again", block_of(64), [] {
        machine::arrive_threads(2, 64);
        machine::arrive_threads(2, 64);
    });
    launch_shape const clusters = {.grid = {4},
                                   .shape = {.block = {32}, .cluster = {2}, .shared_bytes = 8192}};
    for (int const rank : {-1, 0, 1, 2}) {
        record.plant("cluster rank" + text_of(rank), clusters, [&] {
            make_barrier(2);
            machine::arrive_cluster();
            machine::wait_cluster();
            if (thread() == 0) machine::mbarrier_arrive_in_cluster(barrier(), rank);
            machine::arrive_cluster();
            machine::wait_cluster();
            unsigned const words[4] = {1, 2, 3, 4};
            if (thread() == 0) {
                machine::mbarrier_expect(barrier(), 16);
                machine::store_in_cluster(&word(0), words, barrier(), rank);
            }
            machine::arrive_cluster();
            machine::wait_cluster();
            // Whoever got an arrival of the other block completes the phase.
            if (thread() == 0) machine::mbarrier_arrive(barrier());
            wait(0);
        });
    }
    record.plant("cluster twice", clusters,
                 [] { machine::arrive_cluster(), machine::arrive_cluster(); });
    record.plant("cluster unarrived", clusters, [] { machine::wait_cluster(); });
    record.plant("cluster alone", clusters, [] {
        if (machine::cluster_rank() == 0) machine::arrive_cluster(), machine::wait_cluster();
    });
}

void plant_mbarriers(report_record& record) {
    constexpr int limit = (1 << 20) - 1;
    for (int const arrivals : {-1, 0, 1, limit, limit + 1}) {
        record.plant("mbarrier_init for" + text_of(arrivals), block_of(1),
                     [&] { machine::mbarrier_init(barrier(), arrivals); });
    }
    for (int const bytes : {-1, 0, 1, limit, limit + 1}) {
        record.plant("mbarrier_expect" + text_of(bytes), block_of(1), [&] {
            make_barrier();
            machine::mbarrier_expect(barrier(), bytes);
        });
        record.plant("mbarrier_arrive_and_expect 1 and" + text_of(bytes), block_of(1), [&] {
            make_barrier(2);
            machine::mbarrier_expect(barrier(), 1);
            machine::mbarrier_arrive_and_expect(barrier(), bytes);
        });
    }
    for (int offset = 4090; offset < 4110; ++offset) {
        record.plant("an mbarrier at" + text_of(offset), block_of(1, 4104), [&] {
            auto* const word = machine::dynamic_shared() + offset;
            machine::mbarrier_init(reinterpret_cast<machine::mbarrier_word*>(word), 1);
        });
    }
    for (int arrivals = 1; arrivals < 4; ++arrivals) {
        record.plant("arrivals" + text_of(arrivals), block_of(1), [&] {
            make_barrier(2);
            machine::mbarrier_expect(barrier(), 16);
            for (int i = 0; i < arrivals; ++i) machine::mbarrier_arrive(barrier());
            while (!machine::mbarrier_test(barrier(), 0)) machine::nap(1);
        });
    }
    record.plant("invalid", block_of(1), [] {
        make_barrier();
        machine::mbarrier_invalidate(barrier());
        machine::mbarrier_test(barrier(), 0);
    });
    record.plant("bytes that nobody expects", block_of(1, 16384), [] {
        static spio::sim::memory<float> const source(2048, "source");
        make_barrier(2);
        // 140 times 8192 bytes are more than the 2^20 - 1 that a phase can count.
        for (int i = 0; i < 140; ++i) {
            machine::bulk_load(&word(2048), source.data(), 8192, barrier());
            while (machine::mbarrier_try_wait(barrier(), 1) && i % 2 == 0) break;
            machine::sync_block();
        }
        machine::mbarrier_arrive(barrier());
        machine::mbarrier_try_wait(barrier(), 0);
    });
}

void plant_warps(report_record& record) {
    for (unsigned const lanes :
         {1U, 2U, 0x80000000U, 0xaaaaaaaaU, 0xffff0001U, 0x0ff0f00fU, ~0U, ~1U}) {
        auto const name = " of lanes" + text_of(lanes);
        record.plant("sync_warp" + name, block_of(32), [&] { machine::sync_warp(lanes); });
        record.plant("sync_warp in half a warp" + name, block_of(16), [&] {
            if (lanes >> thread() & 1) machine::sync_warp(lanes);
        });
        record.plant("sync_warp without lane 7" + name, block_of(64), [&] {
            if (thread() % 32 != 7 && (lanes >> thread() % 32 & 1)) machine::sync_warp(lanes);
        });
        record.plant("two collectives" + name, block_of(32), [&] {
            if (thread() < 16) {
                machine::sync_warp(~0U);
            } else if (lanes >> thread() & 1) {
                machine::ballot(true, lanes);
            }
        });
        // Results of all lanes: shuffles over distances on both sides of a warp's size, votes,
        // sums.
        spio::sim::memory<unsigned> results(32 * 128, "results");
        for (unsigned i = 0; i < 32 * 128; ++i) results[i] = 0;
        record.plant("collectives" + name, block_of(32), [&] {
            if ((lanes >> thread() & 1) == 0) return;
            auto* next = results.data() + 128 * thread();
            auto const value = static_cast<unsigned>(thread() * thread() + 3);
            *next++ = machine::ballot(thread() % 3 == 0, lanes);
            *next++ = static_cast<unsigned>(machine::sum_over(static_cast<int>(value) - 40, lanes));
            *next++ =
                static_cast<unsigned>(machine::least_over(50 - static_cast<int>(value), lanes));
            *next++ =
                static_cast<unsigned>(machine::greatest_over(static_cast<int>(value) % 17, lanes));
            *next++ = machine::elect_lane(lanes) ? 1 : 0;
            if (lanes != ~0U) return;
            for (int const distance : {-1, 0, 1, 2, 7, 16, 31, 32, 33}) {
                *next++ = machine::shuffle(value, distance, lanes);
                *next++ = machine::shuffle_up(value, distance, lanes);
                *next++ = machine::shuffle_down(value, distance, lanes);
                *next++ = machine::shuffle_xor(value, distance, lanes);
            }
        });
        spio::test::digest digest;
        for (unsigned i = 0; i < 32 * 128; ++i) digest.add(static_cast<double>(results[i]));
        record.lines.push_back("results" + name + ": " + digest.text());
    }
    for (int lane = 0; lane < 32; lane += 5) {
        record.plant("shuffle from lane" + text_of(lane), block_of(32), [&] {
            if (thread() % 2 == 0) machine::shuffle(1, lane, 0x55555555U);
        });
    }
    record.plant("registers", block_of(32), [] {
        if (thread() != 3) machine::shrink_registers<24>();
    });
}

// Deadlocks and livelocks. In "waits", each bit of state has a warp of the first block wait in a
// way of its own, while the other blocks have not begun. In "asks", threads poll forever, by an
// acquire (kinds 0 and 1), a compare-exchange or an add of 0.
void plant_deadlocks(report_record& record) {
    spio::sim::memory<unsigned> flags(4, "flags");
    for (unsigned i = 0; i < 4; ++i) flags[i] = 0;
    for (int grid = 1; grid < 4; ++grid) {
        for (int state = 0; state < 64; state += grid == 1 ? 1 : 9) {
            auto const name = "waits" + text_of(state) + " in blocks" + text_of(grid);
            record.plant(name, {.grid = {grid}, .shape = {.block = {192}, .shared_bytes = 8192}},
                         [&] {
                             make_barrier(2);
                             int const warp = thread() / 32;
                             if ((state >> warp & 1) == 0) return;
                             if (warp == 0) machine::sync_threads(1, 64);
                             if (warp == 1 && thread() > 32) machine::sync_warp(~0U);
                             if (warp == 1) wait(0);
                             if (warp == 2) machine::arrive_cluster(), machine::wait_cluster();
                             if (warp == 3) machine::arrive_threads(1, 64);
                             if (warp == 4 && thread() % 2 == 0) wait(0);
                             if (warp == 5) machine::mbarrier_test(barrier(), 0);
                         });
        }
    }
    for (int kind = 0; kind < 4; ++kind) {
        record.plant("asks" + text_of(kind),
                     {.grid = {2}, .shape = {.block = {2}, .shared_bytes = 8192}}, [&] {
                         make_barrier(2);
                         if (thread() == 1 && kind % 2 == 0) return;
                         while (kind < 2 && machine::load_acquire(flags.data() + 2) == 0)
                             machine::nap(1);
                         while (kind == 2 &&
                                machine::atomic_compare_exchange(flags.data() + 1, 1, 2) != 1) {
                         }
                         while (kind == 3 && machine::atomic_add(flags.data() + 3, 0) == 0) {
                         }
                     });
    }
}

} // namespace

TEST_CASE("reports of misuses at their limits are those that were recorded") {
    report_record record;
    plant_launches(record);
    plant_barriers(record);
    plant_mbarriers(record);
    plant_warps(record);
    plant_deadlocks(record);
    record.compare(__FILE__, "reports.txt", "SPIO_RECORD_REPORTS");
}
