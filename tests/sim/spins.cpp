// Loops that wait for a change by plain reads, and launches in which nothing changes any more.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule
// of the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report.
#include "machine/atomic.h"
#include "machine/thread.h"
#include "misuse.h"
#include "sim/arena.h"

namespace machine = spio::machine;
using namespace planted;

static int thread() { return machine::thread_index().x; }
// Int i of the block's shared memory.
static int volatile& word(int i) {
    return reinterpret_cast<int volatile*>(machine::dynamic_shared())[i];
}
static launch_shape const shape = {.shape = {.block = {64}, .shared_bytes = 512}};

TEST_CASE("a loop that reads forever ends the launch") {
    expect_misuse(misuse::livelock,
                  "everybody asks, and nothing changes: threads 0-31 ended; threads 32-63 read "
                  "shared offset 8 again and again",
                  shape, [] {
                      if (thread() == 0) word(2) = 1;
                      machine::sync_block();
                      while (thread() >= 32 && word(2) != 42) {
                      }
                  });
    spio::sim::memory<int> flags(4, "flags");
    for (int& flag : flags) flag = 0;
    expect_misuse(misuse::livelock,
                  "threads 0-39, 41-63 wait at barrier 0, where 63 of 64 have come; thread 40 "
                  "reads byte 4 of `flags` again and again",
                  shape, [&] {
                      if (thread() == 40) {
                          while (*static_cast<int volatile*>(flags.data() + 1) != 42) {
                          }
                      }
                      machine::sync_block();
                  });
    spio::sim::memory<unsigned> lock(1, "lock");
    lock[0] = 1;
    expect_misuse(misuse::livelock, "thread 0 reads byte 0 of `lock` again and again", shape, [&] {
        while (thread() == 0 && machine::atomic_exchange(lock.data(), 1) == 1) {
        }
    });
    auto const result =
        spio::sim::launch("spins", {.grid = {3}},
                          [&] {
                              while (machine::atomic_exchange(lock.data(), 1) == 1) {
                              }
                          },
                          {.os_threads = 1});
    CAPTURE(result.text());
    CHECK(result.sentence.find("; 2 blocks of the grid have not begun") != std::string::npos);
}

TEST_CASE("a thread that spins lets other threads run") {
    spio::sim::memory<int> flags(4, "flags");
    for (auto order : orders) {
        order.races = false; // the flag is one
        flags[0] = 0;
        auto const result = spio::sim::launch(
            "spins", shape,
            [&] {
                auto volatile* const flag = flags.data();
                while (thread() == 0 && *flag != 42) {
                }
                if (thread() == 63) *flag = 42;
            },
            order);
        CHECK(result.text() == "no misuse");
    }
}

// More reads than begin an observation, none of them of the same address.
TEST_CASE("long loops that read much are not spins") {
    spio::sim::memory<int> input(100'000, "input");
    for (int& value : input) value = 1;
    spio::sim::memory<int> output(64, "output");
    expect_no_misuse({.shape = {.block = {2}}}, [&] {
        int sum = 0;
        for (int const volatile& value : input) sum += value;
        machine::sync_block();
        output.data()[thread()] = sum;
    });
    CHECK(output[1] == 100'000);
}

TEST_CASE("a deadlock is not reported as a livelock") {
    expect_misuse(misuse::deadlock, "nobody can go on: thread 0 waits at barrier 0", shape, [] {
        if (thread() == 0) machine::sync_block();
    });
}

// A thread that has read 65536 times without a write or a wait is observed for 128 reads; if they
// are of at most 8 addresses, it spins. The 200'000 reads below are of 100 addresses in turn: three
// observations end without a spin, and what they have seen must not count for the next one.
TEST_CASE("a thread that has read much, and then spins, lets other threads run") {
    spio::sim::memory<int> input(100, "input");
    for (int& value : input) value = 1;
    spio::sim::memory<int> flags(4, "flags");
    for (auto order : orders) {
        order.races = false; // the flag is one
        flags[0] = 0;
        auto const result = spio::sim::launch(
            "spins", shape,
            [&] {
                auto volatile* const flag = flags.data();
                if (thread() == 0) {
                    int sum = 0;
                    for (int i = 0; i < 200'000; ++i) {
                        sum += static_cast<int const volatile*>(input.data())[i % 100];
                    }
                    while (*flag != sum) {
                    }
                }
                if (thread() == 63) *flag = 200'000;
            },
            order);
        CHECK(result.text() == "no misuse");
    }
}
