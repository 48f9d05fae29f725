// Global memory: addresses are reused late, and reads of unwritten memory can be found.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A misuse is an access or a call that breaks a rule
// of the GPU, and ends the launch with a report. expect_misuse launches a kernel in many orders of
// threads, each of which must report a misuse of this kind in a sentence that matches the regular
// expression; expect_no_misuse expects no report. A grain is the unit in which global memory is
// given out.
#include "sim/arena.h"
#include "machine/thread.h"
#include "misuse.h"
#include "sim/unwritten_reads.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>

#include <signal.h>
#include <unistd.h>

namespace machine = spio::machine;
using namespace planted;

static int thread() { return machine::thread_index().x; }
static launch_shape const shape = {.shape = {.block = {32}}};

// The pages of memory that this process has, as Linux reports them in /proc.
static long resident_pages() {
    long total = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident;
}

TEST_CASE("freed memory is found for long, and reused at last") {
    int const* highest = nullptr;
    bool is_reused = false;
    // Allocates and frees arrays again and again, and notes whether one has an address for the
    // second time.
    auto const churn = [&](int count) {
        for (int i = 0; i < count; i++) {
            spio::sim::memory<int> const array(static_cast<std::size_t>(1 + i % 3 * 20'000));
            is_reused |= array.data() < highest;
            highest = std::max<int const*>(highest, array.data());
        }
    };
    spio::sim::memory<int> output(32, "output");
    int const* freed = nullptr;
    {
        spio::sim::memory<int> const array(32, "freed");
        freed = array.data();
    }
    // The addresses of the last 16384 freed arrays are not reused.
    churn(10'000);
    CHECK(!is_reused);
    expect_misuse(misuse::global_out_of_bounds, "of `freed`, which was freed", shape,
                  [&] { output.data()[thread()] = freed[thread()]; });
    churn(10'000);
    CHECK(is_reused);
    auto const before_churn = resident_pages();
    churn(60'000);
    // Without reuse, churn(60'000) would take more than 60'000 pages. A sanitizer keeps some freed
    // memory.
    CHECK(resident_pages() - before_churn < 12'000);
    // Freed memory serves arrays of other sizes, too.
    spio::sim::memory<char> const large(std::size_t{1} << 26, "large");
    CHECK(large.data() != nullptr);
}

TEST_CASE("reads of memory that was never written are found where they are looked for") {
    spio::sim::memory<int> input(64, "input");
    spio::sim::memory<int> output(64, "output");
    for (int i = 0; i < 32; i++) input.data()[i] = i;
    auto const launch = [&](int first) {
        return spio::sim::launch("arena", shape,
                                 [&] { output.data()[thread()] = input.data()[first + thread()]; },
                                 {.unwritten_reads = true});
    };
    CHECK(launch(0).text() == "no misuse");
    auto const result = launch(4);
    CHECK(result.kind == misuse::global_uninitialised);
    CHECK(result.sentence == "a read of 4 bytes at byte 128 of `input`, which was never written");
    // A launch may read what it has written itself, even -1, whose bytes are those of new memory.
    auto const rewrite = [&] {
        input.data()[32 + thread()] = -1;
        output.data()[thread()] = input.data()[32 + thread()];
    };
    CHECK(spio::sim::launch("arena", shape, rewrite, {.unwritten_reads = true}).text() ==
          "no misuse");
    // Writes of single bytes count as well. The bytes keep the value 0xff of new memory, so that
    // only the record of the writes can tell.
    spio::sim::memory<unsigned char> bytes(32 * 16, "bytes");
    auto const write_bytes = [&] {
        for (int i = 0; i < 16; i++) bytes.data()[16 * thread() + i] = 0xff;
    };
    auto const read_bytes = [&] { output.data()[thread()] = bytes.data()[16 * thread() + 5]; };
    spio::sim::launch_options const options = {.unwritten_reads = true};
    CHECK(spio::sim::launch("arena", shape, read_bytes, options).kind ==
          misuse::global_uninitialised);
    CHECK(spio::sim::launch("arena", shape, write_bytes, options).text() == "no misuse");
    CHECK(spio::sim::launch("arena", shape, read_bytes, options).text() == "no misuse");
    // Without unwritten_reads nothing is reported: only the value 0xff…, NaN or -1, is a hint.
    auto const read_unwritten = [&] { output.data()[thread()] = output.data()[32 + thread()]; };
    expect_no_misuse(shape, read_unwritten);
    // A program may ask for all of its launches.
    spio::sim::look_for_unwritten_reads(true);
    expect_misuse(misuse::global_uninitialised, "of `output`, which was never written", shape,
                  read_unwritten);
    spio::sim::look_for_unwritten_reads(false);
    expect_no_misuse(shape, read_unwritten);
}

// Whether the process itself may read a byte: the system refuses to write what it cannot read.
static bool is_readable(int file, unsigned char const* byte) { return write(file, byte, 1) == 1; }

TEST_CASE("an array has its own grains and no others, and gives them all back") {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    constexpr std::size_t grain = spio::sim::arena::grain_bytes, page = 4096;
    for (std::size_t const bytes :
         {std::size_t{0}, std::size_t{1}, grain - 1, grain, grain + 1, 3 * grain}) {
        CAPTURE(bytes);
        std::size_t const grains = bytes == 0 ? 1 : (bytes + grain - 1) / grain;
        auto* const first = static_cast<unsigned char*>(spio::sim::allocate(bytes, "first"));
        auto* const next = static_cast<unsigned char*>(spio::sim::allocate(grain, "next"));
        auto const readable = [&](std::size_t offset) {
            return is_readable(pipe_ends[1], first + offset);
        };
        for (std::size_t i = 0; i < grains * grain; i += page) CHECK(readable(i));
        CHECK(!readable(grains * grain));
        for (std::size_t i = 0; i < bytes; ++i) REQUIRE(first[i] == 0xff);
        spio::sim::release(first);
        for (std::size_t i = 0; i <= grains * grain; i += page) CHECK(!readable(i));
        CHECK(is_readable(pipe_ends[1], next));
        CHECK(is_readable(pipe_ends[1], next + grain - 1));
        spio::sim::release(next);
    }
    for (int const end : pipe_ends) close(end);
}

// Crashes of kernels become reports: during a launch their signals have handlers, and a stack.
TEST_CASE("a launch leaves the program's handlers of signals, and their stack, as they were") {
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGUSR1};
    struct state {
        struct sigaction actions[6];
        stack_t stack;
    };
    auto const now = [&] {
        state found = {};
        for (std::size_t i = 0; i < std::size(signals); ++i) {
            sigaction(signals[i], nullptr, &found.actions[i]);
        }
        sigaltstack(nullptr, &found.stack);
        return found;
    };
    auto const earlier = now();
    CHECK(spio::sim::launch("signals", shape, [] {}, {.os_threads = 1}).text() == "no misuse");
    auto const later = now();
    for (std::size_t i = 0; i < std::size(signals); ++i) {
        CHECK((later.actions[i].sa_sigaction == earlier.actions[i].sa_sigaction));
        CHECK(later.actions[i].sa_flags == earlier.actions[i].sa_flags);
    }
    CHECK(later.stack.ss_sp == earlier.stack.ss_sp);
    CHECK(later.stack.ss_flags == earlier.stack.ss_flags);
}
