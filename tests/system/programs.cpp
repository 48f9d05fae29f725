// Programs run without a shell, know few variables, and end when the process that asked has died.
// SPDX-License-Identifier: Apache-2.0
//
// run() starts a program, waits for it, and returns its output and its exit status.
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.error;
import spio.system;

using namespace spio;
namespace fs = std::filesystem;

namespace {

// Runs a script of the shell, whose output and status are returned.
program_result shell(std::string const& script, temporary_folder const* folder = nullptr) {
    return run({"/bin/sh", "-c", script}, folder);
}

// Whether a process ends within five seconds.
bool is_dead_soon(pid_t process) {
    for (int i = 0; i < 500; ++i) {
        std::ifstream status("/proc/" + std::to_string(process) + "/stat");
        std::string number, name, state;
        if (!(status >> number >> name >> state) || state == "Z") return true;
        usleep(10'000);
    }
    return false;
}

} // namespace

TEST_CASE("programs: what they print and how they end is reported") {
    CHECK(shell("echo out; echo err >&2").output == "out\nerr\n");
    CHECK(shell("exit 7").status == 7);
    CHECK(shell("kill -TERM $$").status == 128 + SIGTERM);
    CHECK(shell("cat").output.empty()); // nothing comes in
    CHECK(run({"/bin/echo", "$(id)", "a b", "'"}).output == "$(id) a b '\n");
    try {
        run({"/nowhere/program"});
        CHECK(false);
    } catch (error const& failure) {
        CHECK(failure.kind() == error_kind::not_found);
        CHECK(std::string(failure.what()) ==
              "start for /nowhere/program: No such file or directory");
    }
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([i] {
            auto const text = std::to_string(i);
            CHECK(run({"/bin/echo", text}).output == text + "\n");
        });
    }
}

TEST_CASE("programs: they work in their own folder, with few variables") {
    test::folder const parent;
    setenv("NVCC_APPEND_FLAGS", "-lineinfo", 1);
    setenv("CPATH", "/tmp", 1);
    temporary_folder const folder("it's $(touch hit), `x`", parent.path);
    CHECK(shell("pwd", &folder).output == folder.path().string() + "\n");
    auto const variables = shell("env", &folder).output;
    CHECK(variables.find("TMPDIR=.\n") != variables.npos);
    CHECK(variables.find("LC_ALL=C\n") != variables.npos);
    CHECK(variables.find("NVCC_APPEND_FLAGS") == variables.npos);
    CHECK(variables.find("CPATH") == variables.npos);
    unsetenv("NVCC_APPEND_FLAGS");
    unsetenv("CPATH");
    CHECK(shell("ls /proc/self/fd | wc -l").output <= "5\n"); // standard files, and that of ls
}

TEST_CASE("programs: what one leaves running is ended with it") {
    auto const output = shell("sleep 600 >/dev/null 2>&1 & echo $!").output;
    CHECK(is_dead_soon(std::atoi(output.c_str())));
}

TEST_CASE("programs: they and their folder go when the process that asked is killed") {
    test::folder const parent;
    for (int const number : {SIGKILL, SIGINT, SIGTERM}) {
        auto const note = parent / "note";
        fs::remove(note);
        pid_t const child = fork();
        if (child == 0) {
            signal(number, SIG_DFL);
            temporary_folder const folder("spio-test", parent.path);
            shell("pwd > " + note + ".new; sleep 600 & echo $$ $! >> " + note + ".new; mv " + note +
                      ".new " + note + "; wait",
                  &folder);
            _exit(0);
        }
        for (int i = 0; i < 1000 && !fs::exists(note); ++i) usleep(10'000);
        std::ifstream file(note);
        std::string folder;
        pid_t program = 0, background = 0;
        REQUIRE((file >> folder >> program >> background));
        CHECK(fs::exists(folder));
        // A program has a process group of its own: an interrupt from the terminal does not reach
        // it.
        CHECK(getpgid(program) == program);
        kill(child, number);
        while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
        CHECK(is_dead_soon(program));
        CHECK(is_dead_soon(background));
        for (int i = 0; i < 500 && fs::exists(folder); ++i) usleep(10'000);
        CHECK(!fs::exists(folder));
    }
}
