// Launches that may begin before the kernels before them have ended, and must wait for those.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule
// of the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. word(i) is float i of the block's shared memory,
// barrier() an mbarrier behind them; a fixture has floats to copy from and to.
#include "bulk_fixture.h"
#include "machine/async_copy.h"
#include "machine/launch_control.h"

static launch_shape const overlapping = {
    .shape = {.block = {64}, .shared_bytes = 8192, .overlaps_previous = true}};

TEST_CASE("global memory is accessed after a wait for the previous kernels") {
    fixture const global;
    auto const copy = [&] { global.target(0)[thread()] = global.input.data()[thread()]; };
    expect_misuse(misuse::previous_not_awaited,
                  "a read of 4 bytes at byte [0-9]+ of `from` before wait_for_kernels_before",
                  overlapping, copy);
    expect_misuse(misuse::previous_not_awaited, "a write of 4 bytes", overlapping,
                  [&] { global.target(0)[thread()] = 1; });
    expect_misuse(misuse::previous_not_awaited, "an asynchronous copy of 16 bytes", overlapping,
                  [&] {
                      machine::copy_16_async(&word(4 * thread()), global.input.data(), 16);
                      machine::wait_for_kernels_before();
                      machine::commit_copies();
                      machine::wait_for_copies<0>();
                  });
    expect_misuse(misuse::previous_not_awaited, "bulk_load of 512 bytes", overlapping, [&] {
        make_barrier();
        if (thread() > 0) return;
        machine::mbarrier_arrive_and_expect(barrier(), 512);
        machine::bulk_load(&word(0), global.input.data(), 512, barrier());
    });
    expect_no_misuse(overlapping, [&] {
        word(thread()) = 1;
        machine::wait_for_kernels_before();
        copy();
    });
    // A launch that does not overlap need not wait.
    expect_no_misuse({.shape = {.block = {64}}}, copy);
}

TEST_CASE("one thread may wait for others, if it synchronizes with them") {
    fixture const global;
    auto const copy = [&] { global.target(0)[thread()] = global.input.data()[thread()]; };
    expect_no_misuse(overlapping, [&] {
        if (thread() == 0) machine::wait_for_kernels_before();
        machine::sync_block();
        copy();
    });
    expect_no_misuse(overlapping, [&] {
        if (thread() % 32 == 7) machine::wait_for_kernels_before();
        machine::sync_warp(0xffffffff);
        copy();
    });
    expect_misuse(misuse::previous_not_awaited, "before wait_for_kernels_before", overlapping, [&] {
        if (thread() == 0) machine::wait_for_kernels_before();
        machine::sync_warp(0xffffffff);
        copy();
    });
}
