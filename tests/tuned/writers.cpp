// Several processes write one file of measured configurations, each under its own umask.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.system;
import spio.tuned;

using namespace spio;

namespace {

tuned::table const one = {{{"g", "sm_80", "axpby n=1"}, {"a=1", 1, "0"}}};

// Locks the file that add() locks, if nobody has locked it.
std::optional<file_lock> lock_of(std::string const& table) {
    auto& system = operating_system();
    auto const name = table + ".lock";
    int const opened = system.openat(AT_FDCWD, name.c_str(), O_RDWR | O_CLOEXEC, 0);
    if (opened >= 0 && system.lock(opened, 0) == 0) return file_lock(system, opened, 0);
    system.close(opened);
    return {};
}

} // namespace

TEST_CASE("a process that is forked while a thread adds holds nobody up") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    tuned::table many; // so many that adding them takes a while
    for (int i = 0; i < 20000; ++i) {
        many.insert({{"g", "sm_80", "axpby n=" + std::to_string(i)}, {"a=1", 1, "0"}});
    }
    tuned::add(file, one);
    pid_t child = -1;
    {
        std::atomic<bool> is_enough = false;
        std::jthread const writer([&] {
            while (!is_enough) tuned::add(file, many);
        });
        for (int round = 0; round < 1000 && child < 0; ++round) {
            if (lock_of(file)) continue;
            child = fork();
            if (child == 0) {
                for (;;) pause();
            }
            // Another round unless the thread has held the lock all the while.
            if (!lock_of(file)) break;
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            child = -1;
        }
        is_enough = true;
    }
    REQUIRE(child > 0);
    CHECK(lock_of(file));
    kill(child, SIGKILL);
    CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a file that a process writes under a free umask is one that it reads") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    mode_t const earlier = umask(0);
    tuned::add(file, one);
    CHECK(tuned::read(file).size() == 1);
    tuned::add(file, {{{"g", "sm_80", "axpby n=2"}, {"a=1", 1, "0"}}});
    CHECK(tuned::read(file).size() == 2);
    umask(earlier);
}
