// cp.async: when copies are complete, and accesses that must wait for them.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. nap() sleeps for so many nanoseconds.
#include "machine/async_copy.h"
#include "machine/mbarrier.h"
#include "machine/thread.h"
#include "misuse.h"
#include "sim/arena.h"

namespace machine = spio::machine;
using namespace planted;

static int thread() { return machine::thread_index().x; }
// Float i of the block's shared memory.
static float& word(int i) { return reinterpret_cast<float*>(machine::dynamic_shared())[i]; }
static launch_shape const shape = {.shape = {.block = {32}, .shared_bytes = 2048}};

namespace {
// Global memory to copy from and to write to.
struct fixture {
    spio::sim::memory<float> input{512, "from"};
    spio::sim::memory<float> output{512, "to"};
    fixture() {
        for (unsigned i = 0; i < 512; i++) input[i] = static_cast<float>(i);
    }
    float const* source(int i) const { return input.data() + i; }
    float& target(int i) const { return output.data()[i]; }
};
} // namespace

TEST_CASE("copies are complete after a wait for their group") {
    fixture const global;
    expect_no_misuse(shape, [&] {
        machine::copy_16_async(&word(4 * thread()), global.source(4 * thread()), 16);
        machine::commit_copies();
        machine::copy_16_async(&word(128 + 4 * thread()), global.source(4 * thread()), 12);
        machine::copy_async<8>(&word(256 + 2 * thread()), global.source(2 * thread()), 8);
        machine::copy_async<4>(&word(320 + thread()), global.source(thread()), 0);
        machine::commit_copies();
        machine::wait_for_copies<1>();
        machine::sync_block();
        for (int i = thread(); i < 128; i += 32) global.target(i) = word(127 - i);
        machine::wait_for_copies<0>();
        machine::sync_block();
        for (int i = thread(); i < 224; i += 32) global.target(128 + i) = word(128 + i);
    });
    for (int i = 0; i < 128; i++) CHECK(global.target(i) == 127 - i);
    for (int i = 0; i < 128; i++) CHECK(global.target(128 + i) == (i % 4 == 3 ? 0 : i));
    for (int i = 0; i < 64; i++) CHECK(global.target(256 + i) == i);
    for (int i = 0; i < 32; i++) CHECK(global.target(320 + i) == 0);
}

TEST_CASE("a copy may read its source as late as the wait") {
    fixture const global;
    expect_no_misuse({.shape = {.block = {32}, .shared_bytes = 512}}, [&] {
        auto& source = global.input.data()[4 * thread()];
        source = 1;
        machine::copy_16_async(&word(4 * thread()), &source, 16);
        machine::commit_copies();
        source = 2;
        machine::wait_for_copies<0>();
        global.target(thread()) = word(4 * thread());
    });
    CHECK(global.target(5) == 2);
}

TEST_CASE("a read before its wait") {
    fixture const global;
    auto const copy = [&] {
        machine::copy_16_async(&word(4 * thread()), global.source(4 * thread()), 16);
    };
    expect_misuse(misuse::read_before_wait, "a read of 4 bytes at shared offset", shape, [&] {
        copy();
        machine::commit_copies();
        global.target(thread()) = word(4 * thread());
    });
    // In the first kernel the copy is not committed; in the second the wait leaves one group
    // pending.
    expect_misuse(misuse::read_before_wait, "to which an asynchronous copy is under way", shape,
                  [&] {
                      copy();
                      machine::wait_for_copies<0>();
                      global.target(thread()) = word(4 * thread());
                  });
    expect_misuse(misuse::read_before_wait, "under way", shape, [&] {
        copy();
        machine::commit_copies();
        machine::wait_for_copies<1>();
        global.target(thread()) = word(4 * thread());
    });
    expect_misuse(misuse::write_before_wait, "a write of 4 bytes", shape, [&] {
        copy();
        word(4 * thread() + 1) = 1;
    });
    expect_misuse(misuse::write_before_wait, "an asynchronous copy of 16 bytes", shape, [&] {
        copy();
        copy();
    });
    // A lane may read what another lane copied after the other's wait and a barrier. Here the
    // barrier is missing.
    expect_misuse(misuse::race, "a read of 4 bytes at .* where thread .* wrote", shape, [&] {
        copy();
        machine::commit_copies();
        machine::wait_for_copies<0>();
        machine::nap(1);
        global.target(thread()) = word(4 * (31 - thread()));
    });
    expect_no_misuse(shape, [&] {
        copy();
        machine::commit_copies();
        machine::wait_for_copies<0>();
        machine::sync_warp(0xffffffff);
        global.target(thread()) = word(4 * (31 - thread()));
    });
}

TEST_CASE("copies are aligned, and stay inside") {
    fixture const global;
    expect_misuse(misuse::copy_malformed, "from an address that is 4 beyond", shape, [&] {
        machine::copy_16_async(&word(4 * thread()), global.source(4 * thread() + 1), 16);
    });
    expect_misuse(misuse::shared_misaligned, "at shared offset 4, which is not a multiple of 16",
                  {.shape = {.block = {1}, .shared_bytes = 64}},
                  [&] { machine::copy_16_async(&word(1), global.source(0), 16); });
    expect_misuse(misuse::copy_malformed, "of 16 bytes cannot read 17", shape,
                  [&] { machine::copy_16_async(&word(4 * thread()), global.source(0), 17); });
    expect_misuse(misuse::shared_out_of_bounds, "of 16 bytes at shared offset 2048", shape, [&] {
        machine::copy_16_async(&word(16 * (thread() + 1)), global.source(0), 16);
    });
    expect_misuse(misuse::global_out_of_bounds, "of `from`, which has 2048 bytes", shape, [&] {
        machine::copy_16_async(&word(4 * thread()), global.source(4 * (thread() + 97)), 16);
    });
    // A copy of 0 bytes reads nothing, and may have any source.
    expect_no_misuse(shape, [&] {
        bool const inside = thread() < 10;
        machine::copy_16_async(&word(4 * thread()), global.source(4 * thread() + 472),
                               inside ? 16 : 0);
        machine::commit_copies();
        machine::wait_for_copies<0>();
        global.target(thread()) = word(4 * thread());
    });
    CHECK(global.target(9) == 508);
    CHECK(global.target(10) == 0);
}

TEST_CASE("copies arrive at an mbarrier when they are complete") {
    fixture const global;
    auto const barrier = [] {
        return reinterpret_cast<machine::mbarrier_word*>(machine::dynamic_shared() + 1024);
    };
    expect_no_misuse(shape, [&] {
        if (thread() == 0) machine::mbarrier_init(barrier(), 32);
        machine::sync_block();
        for (int turn = 0; turn < 3; turn++) {
            machine::copy_16_async(&word(4 * thread()), global.source(4 * thread() + turn * 4), 16);
            machine::mbarrier_arrive_after_copies(barrier());
            while (!machine::mbarrier_try_wait(barrier(), turn % 2)) {
            }
            global.target(thread()) = word(4 * (31 - thread()));
            machine::sync_block();
        }
    });
    for (int i = 0; i < 32; i++) CHECK(global.target(i) == 4 * (31 - i) + 8);
    // Two arrivals are under way. Each waits for the first copy, and may complete it.
    expect_no_misuse(shape, [&] {
        if (thread() == 0) {
            machine::mbarrier_init(barrier(), 32);
            machine::mbarrier_init(barrier() + 1, 32);
        }
        machine::sync_block();
        for (int n = 0; n < 2; n++) {
            machine::copy_16_async(&word(4 * thread() + 128 * n), global.source(4 * thread()), 16);
            machine::mbarrier_arrive_after_copies(barrier() + n);
        }
        while (!machine::mbarrier_try_wait(barrier(), 0)) {
        }
        global.target(thread()) = word(4 * (31 - thread()));
    });
    expect_misuse(misuse::read_before_wait, "under way", shape, [&] {
        if (thread() == 0) machine::mbarrier_init(barrier(), 32);
        machine::sync_block();
        machine::copy_16_async(&word(4 * thread()), global.source(4 * thread()), 16);
        machine::mbarrier_arrive_after_copies(barrier());
        if (thread() == 7) global.target(thread()) = word(4 * thread());
    });
}
