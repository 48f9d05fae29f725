// Undefined behaviour of kernels, and faults that end the program.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule of
// the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. misuses_reported counts them for a summary.
#include "machine/thread.h"
#include "misuse.h"
#include "sim/fault_place.h"

#include <cstdint>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace machine = spio::machine;
using namespace planted;

static launch_shape const shape = {.grid = {2}, .shape = {.block = {32}, .shared_bytes = 256}};
// Zero, which the compiler must not know.
static int volatile zero = 0;

// Runs the kernel in a child process, which it kills, and returns what that process printed.
template <class Body> static std::string output_of_crash(Body const& body) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t const child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        spio::sim::launch("faults", shape, body, {.os_threads = 1});
        _exit(0);
    }
    close(ends[1]);
    std::string output;
    char piece[256];
    for (ssize_t n = 0; (n = read(ends[0], piece, sizeof piece)) > 0;) {
        output.append(piece, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((!WIFEXITED(status) || WEXITSTATUS(status) != 0));
    return output;
}

// Recursion without an end, since depth is never less than zero.
static int recurse(int depth) {
    int volatile buffer[1000];
    for (int i = 0; i < 1000; i++) buffer[i] = depth;
    return depth < zero ? depth : recurse(depth + 1) + buffer[depth % 1000];
}

TEST_CASE("a crash report names the thread") {
    auto const stray = output_of_crash([] {
        if (machine::thread_index().x == 9) *reinterpret_cast<int volatile*>(zero + 64) = 1;
    });
    CAPTURE(stray);
    CHECK(stray.find("faults, block (0, 0, 0), thread (9, 0, 0): a fault") != std::string::npos);
    misuses_reported++;

    auto const overflow = output_of_crash([] {
        if (machine::thread_index().x == 3) zero = recurse(0);
    });
    CAPTURE(overflow);
    CHECK(overflow.find("thread (3, 0, 0): its stack overflowed") != std::string::npos);
    misuses_reported++;
}

TEST_CASE("a null reference is undefined behaviour") {
    expect_misuse(misuse::undefined_behaviour, "faults.cpp:[0-9]+: a 'int' at null", shape, [] {
        int* const nowhere = reinterpret_cast<int*>(static_cast<std::intptr_t>(zero));
        if (machine::thread_index().x == 4) *nowhere = 1;
    });
}

static int volatile* shared_word(int offset) {
    return reinterpret_cast<int volatile*>(machine::dynamic_shared() + offset);
}

TEST_CASE("a drawing has a row for each warp, and the two threads of a race") {
    launch_shape const two_warps = {.shape = {.block = {64}, .shared_bytes = 256}};
    auto const drawing = [&](auto const& body) {
        REQUIRE(spio::sim::launch("faults", two_warps, body));
        auto const text = spio::sim::last_fault_place().threads;
        return text.substr(text.find("\n  ")); // without the legend
    };
    std::string const all_ended(31, '.'), all_wait(31, 'b');
    // Thread 32 reads what thread 31 has written, with no barrier between the two.
    CHECK(drawing([] {
              int const thread = machine::thread_index().x;
              if (thread == 31) *shared_word(0) = 1;
              if (thread == 32) *shared_word(4) = *shared_word(0);
          }) == "\n  " + all_ended + "O\n  X" + std::string(31, '-'));
    CHECK(drawing([] {
              int const thread = machine::thread_index().x;
              if (thread < 63) machine::sync_block();
              if (thread == 63) *shared_word(256) = 1;
          }) == "\n  b" + all_wait + "\n  " + all_wait + "X");
    // A launch of too many threads has no block to draw.
    launch_shape const too_many = {.shape = {.block = {2000}}};
    REQUIRE(spio::sim::launch("faults", too_many, [] {}));
    CHECK(spio::sim::last_fault_place().threads.empty());
}
