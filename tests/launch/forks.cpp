// A process forked while threads of its parent compile finds what is ready, and compiles anew.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. An image is a compiled kernel. `images` finds one in memory, where it keeps those
// it has found, in packs (files of images), in a cache folder on disk, or has it compiled; its
// counters tell which. The policy jit_only leaves packs out. The fakes of CUDA's driver and of
// NVRTC, its compiler, make no code. fake::the_machine() has the state of the fake driver.
// no_source stands for packs, or for a compiler, where there are none. A typed_spec is a spec with
// the type of its parameters.
#include <doctest/doctest.h>

#include "tests/cuda/fake_machine.h"
#include "tests/folder.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

import spio.axpby;
import spio.cache;
import spio.cuda;
import spio.fake_driver;
import spio.fake_nvrtc;
import spio.image;
import spio.jit;
import spio.launch;
import spio.spec;
import spio.system;

using namespace spio;

namespace {

// The spec with this number: each number has other blocks of threads, and so another kernel.
typed_spec<axpby::params> spec_number(int number) {
    return axpby::specialize({.n = 1000}, {.threads = 32 * number, .vectors = 1}, sm_80);
}

// Compiles kernel 1 for as long as may_end is false, and all others at once.
struct compiler {
    mutable std::atomic<bool> is_running = false;
    mutable std::atomic<bool> may_end = false;

    std::optional<image> compile(spec const& spec) const {
        if (spec.symbol == spec_number(1).symbol) {
            is_running = true;
            while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, "a compiler");
    }
};

// Whether the task returns true in a process that is forked now, within a minute: after 60 seconds
// a signal ends the process.
bool holds_in_child(std::function<bool()> const& task) {
    pid_t const child = fork();
    if (child == 0) {
        alarm(60);
        bool is_true = false;
        try {
            is_true = task();
        } catch (...) {
        }
        _exit(is_true ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

TEST_CASE("a forked process compiles anew what its parent was compiling") {
    compiler compiler;
    no_source const no_pack;
    images const images(no_pack, compiler, policy::jit_only);
    images.find(spec_number(2));
    auto const forks = fork_count();
    {
        // One thread compiles, and two wait for it.
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] { CHECK(images.find(spec_number(1)).bytes.empty()); });
        }
        while (!compiler.is_running) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the two begin to wait
        CHECK(holds_in_child([&] {
            compiler.may_end = true;
            return fork_count() == forks + 1 &&
                   images.find(spec_number(2)).found == origin::memory &&
                   images.find(spec_number(3)).found == origin::compiled &&
                   images.find(spec_number(1)).found == origin::compiled &&
                   images.find(spec_number(1)).found == origin::memory &&
                   images.count().compiled == 3;
        }));
        CHECK(fork_count() == forks);
        compiler.may_end = true;
    }
    CHECK(images.count().compiled == 2);
}

TEST_CASE(
    "whenever a process is forked while threads compile, it finds and compiles every kernel") {
    compiler compiler;
    compiler.may_end = true;
    no_source const no_pack;
    std::atomic<bool> is_over = false;
    images const images(no_pack, compiler, policy::jit_only);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            // Each number is of a text of its own, so that something is always compiled.
            for (int number = 0; !is_over; ++number) {
                auto spec = spec_number(2 + number % 3);
                spec.source += std::to_string(t) + " " + std::to_string(number / 3);
                images.find(spec);
                images.count();
            }
        });
    }
    int right = 0;
    constexpr int rounds = 100;
    for (int round = 0; round < rounds; ++round) {
        right += holds_in_child([&] {
            for (int number = 1; number < 5; ++number) images.find(spec_number(number));
            return images.count().missed == 0; // no find ended without an image
        });
    }
    is_over = true;
    threads.clear();
    CHECK(right == rounds);
    std::cout << "summary: launch.forks: " << right << " of " << rounds
              << " processes forked while threads compile find every kernel\n";
}

TEST_CASE("a forked process gets an error if its parent was in NVRTC, or reads what it published") {
    test::folder const folder;
    cache::options options;
    options.folder = folder.path;
    cache::folders folders(options);
    static std::atomic<bool> is_running, may_end;
    is_running = may_end = false;
    auto entries = fake::nvrtc;
    entries.compile_program = [](jit::nvrtc_entries::program program, int count,
                                 char const* const* words) {
        is_running = true;
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return fake::nvrtc.compile_program(program, count, words);
    };
    fake::the_machine().expect({}); // no call of the fakes fails
    jit::nvrtc const nvrtc(entries, "slow");
    jit::just_in_time const compiler(nvrtc, folders);
    no_source const no_pack;
    images const images(no_pack, compiler, policy::jit_only);
    auto const ready = spec_number(2), running = spec_number(1), other = spec_number(3);
    may_end = true;
    images.find(ready);
    may_end = is_running = false;
    std::jthread const thread([&] { images.find(running); });
    while (!is_running) std::this_thread::yield();
    auto const is_lost = [&](spec const& spec) {
        try {
            images.find(spec);
        } catch (spio::error const& failure) {
            return failure.reason().find("forked while its parent compiled") != std::string::npos;
        }
        return false;
    };
    CHECK(holds_in_child(
        [&] { return images.find(ready).found == origin::memory && is_lost(other); }));
    // Processes that want the same kernel take turns by a lock of a file in the cache folder. The
    // child waits for that lock, and then reads what the parent has compiled.
    std::jthread const releaser([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        may_end = true;
    });
    CHECK(holds_in_child([&] { return images.find(running).found == origin::disk; }));
}

// SPIO_NVRTC names the library that is opened as NVRTC: here SPIO_SLOW_LIBRARY, the file of
// slow_library.cpp. Its load creates the file SPIO_TEST_LOAD_BEGUN, and goes on once there is a
// file SPIO_TEST_LOAD_MAY_END.
TEST_CASE("a process that is forked while its parent opens NVRTC gets an error that says so") {
    test::folder const folder;
    std::string const begun = folder / "begun", may_end = folder / "may_end";
    setenv("SPIO_TEST_LOAD_BEGUN", begun.c_str(), 1);
    setenv("SPIO_TEST_LOAD_MAY_END", may_end.c_str(), 1);
    setenv("SPIO_NVRTC", SPIO_SLOW_LIBRARY, 1);
    cache::options options;
    options.folder = folder / "cache";
    cache::folders folders(options);
    jit::just_in_time const compiler(folders);
    auto const complaint_of = [&](int number) -> std::string {
        try {
            compiler.compile(spec_number(number));
        } catch (error const& e) {
            return e.what();
        }
        return "none";
    };
    {
        // The library is opened in the end, but lacks NVRTC's functions.
        std::jthread const opening(
            [&] { CHECK(complaint_of(1).find("no nvrtcVersion") != std::string::npos); });
        while (access(begun.c_str(), F_OK) != 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        CHECK(holds_in_child([&] {
            return complaint_of(2).find("forked while its parent opened it") != std::string::npos;
        }));
        std::ofstream{may_end};
    }
    for (auto const* name : {"SPIO_TEST_LOAD_BEGUN", "SPIO_TEST_LOAD_MAY_END", "SPIO_NVRTC"}) {
        unsetenv(name);
    }
}

TEST_CASE("a forked process neither waits for the tasks of its parent nor runs them") {
    task_queue queue;
    std::latch begun(1);
    std::atomic<bool> may_end = false;
    std::atomic<int> runs = 0;
    queue.add([&] {
        begun.count_down();
        while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++runs;
    });
    queue.add([&] { ++runs; });
    begun.wait();
    pid_t const child = fork();
    if (child == 0) {
        alarm(60);
        queue.wait();
        bool const is_idle = runs == 0;
        std::atomic<int> own_runs = 0;
        queue.add([&] { ++own_runs; });
        queue.wait();
        bool const has_run = own_runs == 1;
        queue.end();
        queue.add([&] { ++own_runs; });
        queue.wait();
        _exit(is_idle && has_run && own_runs == 1 && runs == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    may_end = true;
    queue.wait();
    CHECK(runs == 2);
}
