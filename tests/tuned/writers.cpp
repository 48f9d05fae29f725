// Several processes write one file of measured configurations, each under its own umask.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.tuned;

using namespace spio;

namespace {

tuned::table const measurement = {{{"g", "sm_80", "axpby n=1"}, {"a=1", 1, "0"}}};

// The lock of the byte that add() locks.
struct flock const byte = {
    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1, .l_pid = 0};

// Whether anybody has locked the file that add() locks. It is not locked here, which would hold the
// writer up.
bool is_locked(std::string const& table) {
    int const file = open((table + ".lock").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0);
    struct flock request = byte;
    REQUIRE(fcntl(file, F_OFD_GETLK, &request) == 0);
    close(file);
    return request.l_type != F_UNLCK;
}

// How often this process has opened the file. Nothing is allocated: it is asked after a fork, too.
int times_opened(struct stat const& file) {
    int count = 0;
    for (int number = 0; number < 256; ++number) {
        struct stat status = {};
        bool const is_same = fstat(number, &status) == 0 && status.st_ino == file.st_ino &&
                             status.st_dev == file.st_dev;
        count += is_same ? 1 : 0;
    }
    return count;
}

// Adds to a table in a thread until the end, and keeps what went wrong.
class writer {
  public:
    writer(std::string file, tuned::table choices)
        : thread_([this, file = std::move(file), choices = std::move(choices)] {
              try {
                  do tuned::add(file, choices);
                  while (!is_enough_);
              } catch (std::exception const& failure) {
                  error_ = failure.what();
              }
          }) {}
    writer(writer const&) = delete;
    ~writer() { is_enough_ = true; }
    // Waits for the thread.
    std::string error() {
        is_enough_ = true;
        thread_.join();
        return error_;
    }

  private:
    std::atomic<bool> is_enough_ = false;
    std::string error_;
    std::jthread thread_;
};

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
    writer writer(file, many);
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
    CHECK(writer.error().empty());
    CHECK(!is_locked(file));
    REQUIRE(child > 0);
    kill(child, SIGKILL);
    CHECK(waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a process that is forked while a thread waits to add does not have the lock's file") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    int const own = open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(own >= 0);
    REQUIRE(fcntl(own, F_OFD_SETLK, &byte) == 0);
    struct stat status = {};
    REQUIRE(fstat(own, &status) == 0);
    writer writer(file, measurement);
    for (int round = 0; round < 5000 && times_opened(status) < 2; ++round) usleep(1000);
    CHECK(times_opened(status) == 2);
    pid_t const child = fork();
    if (child == 0) _exit(times_opened(status));
    int ending = -1;
    waitpid(child, &ending, 0);
    close(own);
    CHECK(writer.error().empty());
    REQUIRE(WIFEXITED(ending));
    CHECK(WEXITSTATUS(ending) == 1); // the file that the test has opened
    CHECK(tuned::read(file).size() == 1);
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

TEST_CASE("the error of a lock's file that cannot be opened says why") {
    test::folder const folder;
    auto const file = folder / "tuned.txt";
    REQUIRE(mkdir((file + ".lock").c_str(), 0700) == 0);
    CHECK_THROWS_WITH(tuned::add(file, measurement),
                      doctest::Contains("tuned.txt.lock: it cannot be opened: Is a directory"));
}
