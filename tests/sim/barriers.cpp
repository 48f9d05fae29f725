// Barriers of blocks and clusters, and threads that never arrive.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. sync_threads(b, n) waits at barrier b until n
// threads have arrived there, as arrive_threads(b, n) does without waiting.
#include "machine/thread.h"
#include "misuse.h"
#include "sim/arena.h"

namespace machine = spio::machine;
using namespace planted;

static int thread() { return machine::thread_index().x; }
// Int i of the block's shared memory.
static int& word(int i) { return reinterpret_cast<int*>(machine::dynamic_shared())[i]; }
constexpr unsigned all_lanes = 0xffffffff;

TEST_CASE("a barrier that a warp misses is a deadlock") {
    launch_shape const shape = {.grid = {2}, .shape = {.block = {96}}};
    expect_misuse(
        misuse::deadlock,
        "threads 0-31, 64-95 wait at barrier 0, where 64 of 96 have come; threads 32-63 ended",
        shape, [] {
            if (thread() / 32 == 1) return;
            machine::sync_block();
        });
    expect_misuse(
        misuse::deadlock,
        "at barrier 0, where 95 of 96 .*thread 40 waits for lanes of the warp in sync_warp", shape,
        [] {
            if (thread() == 40) machine::sync_warp(all_lanes);
            machine::sync_block();
        });
    expect_no_misuse(shape, [] {
        for (int i = 0; i < 5; i++) machine::sync_block();
    });
}

TEST_CASE("named barriers count threads") {
    launch_shape const shape = {.shape = {.block = {128}, .shared_bytes = 512}};
    // Two warps produce and two consume. Producers arrive at the barrier `full` without waiting,
    // and consumers arrive at the barrier `empty` without waiting.
    expect_no_misuse(shape, [] {
        for (int turn = 0; turn < 8; turn++) {
            if (thread() < 64) {
                if (turn > 0) machine::sync_threads(2, 128);
                word(thread()) = turn;
                machine::arrive_threads(1, 128);
            } else {
                machine::sync_threads(1, 128);
                word(thread()) = word(thread() - 64);
                if (turn < 7) machine::arrive_threads(2, 128);
            }
        }
    });
    expect_no_misuse(shape, [] {
        int const half = thread() / 64;
        word(thread()) = 1;
        machine::sync_threads(1 + half, 64);
        word(64 * half + 63 - thread() % 64) += 1;
    });
    expect_misuse(misuse::barrier_malformed, "barrier 16: there are barriers 0 to 15", shape,
                  [] { machine::sync_threads(16, 128); });
    expect_misuse(misuse::barrier_malformed, "must be whole warps", shape,
                  [] { machine::sync_threads(1, 40); });
    expect_misuse(misuse::barrier_malformed,
                  "barrier 1 for (64|128) threads, where .* for a count of", shape,
                  [] { machine::sync_threads(1, thread() < 32 ? 64 : 128); });
    expect_misuse(misuse::barrier_malformed, "comes to barrier 3 again", shape, [] {
        machine::arrive_threads(3, 128);
        machine::arrive_threads(3, 128);
    });
    expect_misuse(misuse::deadlock, "threads 64-127 wait at barrier 1, where 64 of 128 have come",
                  shape, [] {
                      if (thread() >= 64) machine::sync_threads(1, 128);
                  });
}

TEST_CASE("blocks of a cluster wait for each other") {
    launch_shape const shape = {.grid = {8},
                                .shape = {.block = {64}, .cluster = {4}, .shared_bytes = 256}};
    spio::sim::memory<int> values(8, "got");
    expect_no_misuse(shape, [&] {
        auto const block = static_cast<unsigned>(machine::block_index().x);
        for (int turn = 0; turn < 3; turn++) {
            word(thread()) = turn;
            if (thread() == 0) values[block] = 10 * turn + machine::cluster_rank();
            machine::arrive_cluster();
            machine::wait_cluster();
            CHECK(values[block ^ 3] == 10 * turn + (3 - machine::cluster_rank()));
            CHECK(word(63 - thread()) == turn);
            machine::arrive_cluster();
            machine::wait_cluster();
        }
    });
    expect_misuse(misuse::deadlock, "wait for the cluster", shape, [] {
        if (machine::cluster_rank() == 2) return;
        machine::arrive_cluster();
        machine::wait_cluster();
    });
    expect_misuse(misuse::barrier_malformed, "without having arrived", shape,
                  [] { machine::wait_cluster(); });
    expect_misuse(misuse::barrier_malformed, "arrives at the cluster's barrier again", shape, [] {
        machine::arrive_cluster();
        machine::arrive_cluster();
    });
}

TEST_CASE("launches that no GPU accepts") {
    auto const empty_kernel = [] {};
    expect_misuse(misuse::launch_malformed, "a block of 1025 x 1 x 1 threads",
                  {.shape = {.block = {1025}}}, empty_kernel);
    // No block and no thread is to blame.
    auto const malformed = spio::sim::launch("planted", {.shape = {.block = {1025}}}, empty_kernel);
    CHECK(malformed.text().starts_with("planted: launch malformed: a block of 1025"));
    expect_misuse(misuse::launch_malformed, "300000 bytes of shared memory",
                  {.shape = {.shared_bytes = 300000}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "clusters of 3 x 1 x 1",
                  {.grid = {4}, .shape = {.cluster = {3}}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "clusters of 32 x 1 x 1 blocks, .* more than 16",
                  {.grid = {32}, .shape = {.cluster = {32}}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "clusters of 17 x 1 x 1",
                  {.grid = {17}, .shape = {.cluster = {17}}}, empty_kernel);
    expect_no_misuse({.grid = {4, 2, 2}, .shape = {.cluster = {4, 2, 2}}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "a grid of 1 x 65536 x 1 blocks",
                  {.grid = {1, 65536, 1}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "65535 in y and in z", {.grid = {1, 1, 65536}},
                  empty_kernel);
    expect_misuse(misuse::launch_malformed, "a block of 1 x 1 x 65 threads",
                  {.shape = {.block = {1, 1, 65}}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "a block of 65536 x 65536 x 1 threads",
                  {.shape = {.block = {65536, 65536}}}, empty_kernel);
    expect_misuse(misuse::launch_malformed, "a grid of 0 x 1 x 1 blocks: each number must",
                  {.grid = {0}}, empty_kernel);
    expect_no_misuse(
        {.grid = {2},
         .shape = {.block = {1024}, .cluster = {2}, .shared_bytes = spio::max_shared_bytes}},
        [] { machine::sync_block(); });
}

// Block 2 ends each launch by a misuse: running all blocks would take too long.
TEST_CASE("grids of 2^32 blocks and more run") {
    spio::sim::memory<int> last(1, "last");
    for (launch_shape const& shape : {launch_shape{.grid = {1 << 17, 1 << 15}},
                                      launch_shape{.grid = {2147483647, 65535, 65535}}}) {
        expect_misuse(misuse::global_out_of_bounds, "of `last`, which has 4 bytes", shape, [&] {
            if (machine::block_index().x == 2) last.data()[1] = 0;
        });
    }
}
