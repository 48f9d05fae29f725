// Several processes write one file of measured configurations, each under its own umask.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <atomic>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.tuned;

using namespace spio;

namespace {

tuned::table const measurement = {{{"g", "sm_80", "axpby n=1"}, {"a=1", 1, "0"}}};

// Whether anybody has locked the file that add() locks. It is not locked here, which would hold the
// writer up.
bool is_locked(std::string const& table) {
    int const file = open((table + ".lock").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0);
    struct flock request = {};
    request.l_type = F_WRLCK;
    request.l_whence = SEEK_SET;
    request.l_len = 1;
    REQUIRE(fcntl(file, F_OFD_GETLK, &request) == 0);
    close(file);
    return request.l_type != F_UNLCK;
}

} // namespace

TEST_CASE("a process that is forked while a thread adds holds nobody up") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    tuned::table many; // so many that adding them takes a while
    for (int i = 0; i < 20000; ++i) {
        many.insert({{"g", "sm_80", "axpby n=" + std::to_string(i)}, {"a=1", 1, "0"}});
    }
    tuned::add(file, measurement);
    pid_t child = -1;
    {
        std::atomic<bool> is_enough = false;
        std::jthread const writer([&] {
            while (!is_enough) tuned::add(file, many);
        });
        for (int round = 0; round < 10000 && child < 0; ++round) {
            usleep(1000);
            if (!is_locked(file)) continue;
            child = fork();
            if (child == 0) {
                for (;;) pause();
            }
            if (is_locked(file)) break;
            // The thread may have given the lock back before the fork.
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            child = -1;
        }
        is_enough = true;
    }
    REQUIRE(child > 0);
    CHECK(!is_locked(file));
    kill(child, SIGKILL);
    CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a file that a process writes under a free umask is one that it reads") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    mode_t const earlier = umask(0);
    tuned::add(file, measurement);
    CHECK(tuned::read(file).size() == 1);
    tuned::add(file, {{{"g", "sm_80", "axpby n=2"}, {"a=1", 1, "0"}}});
    CHECK(tuned::read(file).size() == 2);
    umask(earlier);
}
