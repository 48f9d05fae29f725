// Mbarriers: phases, counts, and misuses.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. nap() sleeps for so many nanoseconds.
// misuses_reported counts them for a summary.
#include "machine/mbarrier.h"

#include "machine/atomic.h"
#include "machine/thread.h"
#include "misuse.h"
#include "sim/arena.h"

namespace machine = spio::machine;
using namespace planted;

static int thread() { return machine::thread_index().x; }
// Int i of the block's shared memory, mbarrier i behind them, and a wait until its phase of this
// parity has completed.
static int& word(int i) { return reinterpret_cast<int*>(machine::dynamic_shared())[i]; }
static machine::mbarrier_word* barrier(int i) {
    return reinterpret_cast<machine::mbarrier_word*>(machine::dynamic_shared() + 1024 + 8 * i);
}
static void wait(int i, int parity) {
    while (!machine::mbarrier_try_wait(barrier(i), parity)) {
    }
}
static launch_shape const shape = {.shape = {.block = {96}, .shared_bytes = 2048}};

// A ring of two stages: one warp fills a stage and two warps read it. Barriers 0 and 1 say that a
// stage is full, barriers 2 and 3 that it is empty.
template <bool Waits> static void run_ring(spio::sim::memory<int> const& output) {
    if (thread() == 0) {
        for (int stage = 0; stage < 2; stage++) {
            machine::mbarrier_init(barrier(stage), 32);
            machine::mbarrier_init(barrier(2 + stage), 64);
        }
    }
    machine::sync_block();
    for (int turn = 0; turn < 10; turn++) {
        int const stage = turn % 2;
        int const parity = turn / 2 % 2;
        if (thread() < 32) {
            if (Waits) wait(2 + stage, parity ^ 1);
            word(32 * stage + thread()) = turn + thread();
            machine::mbarrier_arrive(barrier(stage));
        } else {
            wait(stage, parity);
            output.data()[64 * turn + thread() - 32] = word(32 * stage + (63 - thread() % 32) % 32);
            machine::mbarrier_arrive(barrier(2 + stage));
        }
    }
}

TEST_CASE("a ring of stages works for several rounds") {
    spio::sim::memory<int> output(640, "got");
    expect_no_misuse(shape, [&] { run_ring<true>(output); });
    for (int i = 0; i < 640; i++) CHECK(output.data()[i] == i / 64 + 31 - i % 32);
}

TEST_CASE("a stage that is filled before it was emptied is reported") {
    spio::sim::memory<int> output(640, "got");
    for (auto const& order : orders) {
        auto const result =
            spio::sim::launch("mbarriers", shape, [&] { run_ring<false>(output); }, order);
        CAPTURE(result.text());
        // The order of threads decides which misuse comes first.
        CHECK((result.kind == misuse::race || result.kind == misuse::mbarrier_overrun ||
               result.kind == misuse::shared_uninitialised));
    }
    misuses_reported++;
}

TEST_CASE("a poll sees the same phases as a wait") {
    expect_no_misuse(shape, [] {
        if (thread() == 0) machine::mbarrier_init(barrier(0), 64);
        machine::sync_block();
        if (thread() < 64) {
            word(thread()) = 1;
            machine::mbarrier_arrive(barrier(0));
        } else {
            while (!machine::mbarrier_test(barrier(0), 0)) machine::nap(10);
            word(thread()) = word(thread() - 64) + word(thread() - 32);
        }
    });
}

TEST_CASE("an mbarrier must be initialised exactly once before it is used") {
    expect_misuse(misuse::mbarrier_not_made,
                  "mbarrier_arrive at shared offset 1024, where no mbarrier", shape,
                  [] { machine::mbarrier_arrive(barrier(0)); });
    expect_misuse(misuse::mbarrier_made_twice, "mbarrier_init at shared offset 1024", shape, [] {
        if (thread() > 0) return;
        machine::mbarrier_init(barrier(0), 1);
        machine::mbarrier_init(barrier(0), 1);
    });
    expect_no_misuse(shape, [] {
        if (thread() > 0) return;
        machine::mbarrier_init(barrier(0), 1);
        machine::mbarrier_arrive(barrier(0));
        wait(0, 0);
        machine::mbarrier_invalidate(barrier(0));
        machine::mbarrier_init(barrier(0), 2);
        machine::mbarrier_invalidate(barrier(0));
        *reinterpret_cast<int*>(barrier(0)) = 1;
    });
    expect_misuse(misuse::mbarrier_not_made,
                  "with nothing that orders the two|no mbarrier was made", shape, [] {
                      if (thread() == 0) machine::mbarrier_init(barrier(0), 96);
                      machine::nap(1);
                      machine::mbarrier_arrive(barrier(0));
                  });
    expect_misuse(misuse::mbarrier_overrun, "for 0 arrivals", shape,
                  [] { machine::mbarrier_init(barrier(0), 0); });
    expect_misuse(
        misuse::shared_misaligned, "mbarrier_init of 8 bytes at shared offset 4", shape,
        [] { machine::mbarrier_init(reinterpret_cast<machine::mbarrier_word*>(&word(1)), 1); });
}

TEST_CASE("plain reads and writes of an mbarrier's word are reported") {
    for (bool const writes : {false, true}) {
        expect_misuse(misuse::mbarrier_touched, "where the word of an mbarrier is", shape, [&] {
            if (thread() == 0) machine::mbarrier_init(barrier(0), 96);
            machine::sync_block();
            int& bits = word(257); // the second half of barrier(0)
            if (writes) {
                bits = 0;
            } else {
                word(thread()) = bits;
            }
        });
    }
}

TEST_CASE("more arrivals or bytes than a phase expects, or can count, are reported") {
    expect_misuse(misuse::mbarrier_overrun, "has all its 1 arrivals and waits for 64 bytes", shape,
                  [] {
                      if (thread() > 0) return;
                      machine::mbarrier_init(barrier(0), 1);
                      machine::mbarrier_arrive_and_expect(barrier(0), 64);
                      machine::mbarrier_arrive(barrier(0));
                  });
    constexpr int limit = (1 << 20) - 1;
    expect_misuse(misuse::mbarrier_overrun, "for 1048576 arrivals: 1 to 1048575 can come", shape,
                  [] { machine::mbarrier_init(barrier(0), limit + 1); });
    expect_no_misuse(shape, [] {
        if (thread() > 0) return;
        machine::mbarrier_init(barrier(0), limit);
        machine::mbarrier_expect(barrier(0), limit);
    });
    expect_misuse(misuse::mbarrier_overrun, "1 more bytes expected .* which makes 1048576", shape,
                  [] {
                      if (thread() > 0) return;
                      machine::mbarrier_init(barrier(0), 1);
                      machine::mbarrier_expect(barrier(0), limit);
                      machine::mbarrier_expect(barrier(0), 1);
                  });
    expect_misuse(misuse::mbarrier_overrun, "2000000 more bytes expected", shape, [] {
        if (thread() > 0) return;
        machine::mbarrier_init(barrier(0), 1);
        machine::mbarrier_expect(barrier(0), 2000000);
    });
}

TEST_CASE("a wait for a phase that never ends is reported") {
    expect_misuse(
        misuse::deadlock,
        "threads 32-95 wait for the phase of parity 0 of the mbarrier at shared offset 1024, "
        "where 32 of "
        "33 have arrived, and 0 bytes are missing",
        shape, [] {
            if (thread() == 0) machine::mbarrier_init(barrier(0), 33);
            machine::sync_block();
            if (thread() < 32) {
                machine::mbarrier_arrive(barrier(0));
            } else {
                wait(0, 0);
            }
        });
    expect_misuse(misuse::livelock,
                  "threads 0-31 ended; threads 32-.* asks? by (mbarrier_test|nap)", shape, [] {
                      if (thread() == 0) machine::mbarrier_init(barrier(0), 33);
                      machine::sync_block();
                      if (thread() < 32) {
                          machine::mbarrier_arrive(barrier(0));
                      } else {
                          while (!machine::mbarrier_test(barrier(0), 0)) machine::nap(10);
                      }
                  });
    spio::sim::memory<unsigned> flag(1, "flag");
    flag[0] = 0;
    expect_misuse(misuse::livelock, "thread 0 asks by load_acquire", {.grid = {3}}, [&] {
        if (machine::block_index().x == 1) return;
        while (machine::load_acquire(flag.data()) == 0) {
        }
    });
}

TEST_CASE("a phase completes with its last arrival, and not before") {
    spio::sim::memory<int> output(6, "output");
    expect_no_misuse({.shape = {.block = {1}, .shared_bytes = 2048}}, [&] {
        machine::mbarrier_init(barrier(0), 2);
        // Before phase 0 has completed, the phase before it, of parity 1, counts as complete.
        output[0] = machine::mbarrier_test(barrier(0), 1);
        output[1] = machine::mbarrier_test(barrier(0), 0);
        machine::mbarrier_arrive(barrier(0));
        output[2] = machine::mbarrier_test(barrier(0), 0);
        machine::mbarrier_arrive(barrier(0));
        output[3] = machine::mbarrier_test(barrier(0), 0);
        output[4] = machine::mbarrier_test(barrier(0), 1);
        // The next phase has begun.
        machine::mbarrier_arrive(barrier(0));
        output[5] = machine::mbarrier_test(barrier(0), 0);
    });
    int const expected[] = {1, 0, 0, 1, 0, 1};
    for (unsigned i = 0; i < 6; i++) CHECK(output[i] == expected[i]);
}
