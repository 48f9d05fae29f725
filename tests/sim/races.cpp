// Races: two unordered accesses to one byte, at least one of them a write.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. A planted kernel has a misuse on purpose. nap()
// sleeps for so many nanoseconds. sync_threads(b, n) waits at barrier b until n threads have
// arrived there, as arrive_threads(b, n) does without waiting.
#include "machine/atomic.h"
#include "machine/fence.h"
#include "machine/thread.h"
#include "machine/warp.h"
#include "misuse.h"
#include "sim/arena.h"

namespace machine = spio::machine;
using namespace planted;

static int thread() { return machine::thread_index().x; }
// Element i of the block's shared memory.
template <class T = int> static T& word(int i) {
    return reinterpret_cast<T*>(machine::dynamic_shared())[i];
}
static launch_shape const shape = {.grid = {2}, .shape = {.block = {128}, .shared_bytes = 1024}};
constexpr unsigned all_lanes = 0xffffffff;

TEST_CASE("a read of what another thread wrote must come after a barrier") {
    expect_misuse(misuse::race, "a (read|write) of 4 bytes at shared offset [0-9]+, where thread",
                  shape, [] {
                      word(thread()) = 1;
                      machine::sync_block();
                      word(128 + thread()) = word(127 - thread());
                      word(thread()) = 2;
                  });
    expect_no_misuse(shape, [] {
        word(thread()) = 1;
        machine::sync_block();
        word(128 + thread()) = word(127 - thread());
        machine::sync_block();
        word(thread()) = 2;
    });
    expect_misuse(misuse::race,
                  "a write of 4 bytes at shared offset 0, where thread .* wrote byte 0", shape,
                  [] { word(0) = 1; });
    // The check can be switched off.
    auto const result = spio::sim::launch("races", shape, [] { word(0) = 1; }, {.races = false});
    CHECK(result.text() == "no misuse");
}

TEST_CASE("a warp's lanes are ordered by sync_warp, but not by other collectives") {
    auto const reverse_lanes = [](bool synchronises) {
        int const warp = thread() / 32 * 32;
        int const lane = thread() % 32;
        for (int i = 0; i < 4; i++) {
            word(warp + lane) = i;
            if (synchronises) machine::sync_warp(all_lanes);
            machine::shuffle(0U, 0, all_lanes);
            word(128 + thread()) = word(warp + 31 - lane);
            if (synchronises) machine::sync_warp(all_lanes);
            machine::shuffle(0U, 0, all_lanes);
        }
    };
    expect_misuse(misuse::race, "with nothing that orders the two", shape,
                  [&] { reverse_lanes(false); });
    expect_no_misuse(shape, [&] { reverse_lanes(true); });
    // sync_warp does not order accesses of lanes of different warps.
    expect_misuse(misuse::race, "with nothing that orders the two", shape, [] {
        word(thread()) = 1;
        machine::sync_warp(all_lanes);
        machine::sum_over(1, all_lanes);
        for (int i = 0; i < 10; i++) machine::nap(1);
        word(128 + thread()) = word((thread() + 32) % 128);
    });
}

TEST_CASE("accesses to neighbouring bytes do not race") {
    expect_no_misuse(shape, [] {
        word<char>(thread()) = 1;
        word<short>(64 + thread()) = 1;
        machine::sync_block();
        if (word<char>(127 - thread()) != 1) word(0) = 0;
    });
    expect_misuse(misuse::race, "byte 10[01]", shape, [] {
        if (thread() == 3) word<char>(101) = 1;
        if (thread() == 90) word<short>(50) = 1;
    });
}

TEST_CASE("reads do not race with each other, and each must be ordered before a later write") {
    expect_no_misuse(shape, [] {
        if (thread() == 0) word(0) = 1;
        machine::sync_block();
        for (int i = 0; i < 3; i++) {
            word(1 + thread()) = word(0);
            machine::sync_threads(1, 128);
            if (thread() == 40 + i) word(0) = i;
            machine::sync_block();
        }
    });
    // One lane is missing in the barrier that separates its access from the write.
    expect_misuse(
        misuse::race,
        "where thread \\(5, 0, 0\\) (read|wrote)|a read of 4 bytes .* \\(9, 0, 0\\) wrote",
        {.shape = {.block = {32}, .shared_bytes = 1024}}, [] {
            if (thread() == 0) word(0) = 1;
            machine::sync_block();
            word(1 + thread()) = word(0);
            if (thread() != 5) machine::sync_warp(all_lanes & ~(1U << 5));
            if (thread() == 9) word(0) = 2;
        });
}

TEST_CASE("atomics do not race with each other, but do with plain accesses") {
    expect_no_misuse(shape, [] {
        if (thread() == 0) word<unsigned>(0) = 0;
        machine::sync_block();
        machine::atomic_add(&word<unsigned>(0), 2);
        machine::sync_block();
        word(1 + thread()) = word(0) == 256;
    });
    expect_misuse(misuse::race, "with nothing that orders the two", shape, [] {
        if (thread() == 0) word<unsigned>(0) = 0;
        machine::sync_block();
        machine::atomic_add(&word<unsigned>(0), 2);
        word(1 + thread()) = word(0);
    });
    spio::sim::memory<float> sum(1, "sum");
    sum[0] = 0;
    spio::sim::launch("races", {.grid = {4}, .shape = {.block = {128}}},
                      [&] { machine::atomic_add(sum.data(), 0.5F); }, {.os_threads = 4});
    CHECK(sum[0] == 256);
}

TEST_CASE("a release and an acquire of one word order the accesses before and after them") {
    auto const pass = [](bool releases) {
        unsigned& flag = word<unsigned>(255);
        if (thread() == 0) flag = 0;
        machine::sync_block();
        if (thread() == 0) {
            word(0) = 7;
            if (releases) {
                machine::store_release(&flag, 1);
            } else {
                machine::atomic_exchange(&flag, 1);
            }
        } else if (thread() == 64) {
            while (machine::load_acquire(&flag) == 0) {
            }
            word(1) = word(0);
        }
    };
    expect_no_misuse(shape, [&] { pass(true); });
    expect_misuse(misuse::race,
                  "a read of 4 bytes at shared offset 0, where thread \\(0, 0, 0\\) wrote", shape,
                  [&] { pass(false); });
    // A lock by compare and exchange. Without the fences its critical sections race.
    auto const count = [](bool fences) {
        unsigned& lock = word<unsigned>(255);
        if (thread() == 0) lock = word<unsigned>(0) = 0;
        machine::sync_block();
        if (thread() % 32 == 0) {
            while (machine::atomic_compare_exchange(&lock, 0, 1) != 0) machine::nap(1);
            if (fences) machine::fence_block();
            word(0)++;
            if (fences) machine::fence_block();
            machine::atomic_exchange(&lock, 0);
        }
    };
    expect_no_misuse(shape, [&] { count(true); });
    expect_misuse(misuse::race, "at shared offset 0", shape, [&] { count(false); });
}

TEST_CASE("blocks of a grid can wait for each other") {
    spio::sim::memory<unsigned> turn(1, "turn");
    spio::sim::memory<unsigned> sum(1, "sum");
    for (auto const& order : orders) {
        turn[0] = sum[0] = 0;
        auto const result = spio::sim::launch(
            "races", {.grid = {20}, .shape = {.block = {32}}},
            [&] {
                auto const block = static_cast<unsigned>(machine::block_index().x);
                if (thread() == 0) {
                    while (machine::load_acquire(turn.data()) != block) machine::nap(1);
                    sum[0] = 2 * sum[0] + block;
                    machine::store_release(turn.data(), block + 1);
                }
                machine::sync_block();
            },
            order);
        CHECK(result.text() == "no misuse");
        CHECK(sum[0] == (1U << 20) - 21);
    }
}
