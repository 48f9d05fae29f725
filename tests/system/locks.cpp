// The lock of a file is its process's alone: a process that is forked meanwhile does not hold it.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <cerrno>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.system;

using namespace spio;

namespace {

file_lock lock_of(std::string const& file, int byte, system_calls& system = operating_system(),
                  int most_milliseconds = 0) {
    return {system, AT_FDCWD, file.c_str(), byte, most_milliseconds};
}

// Starts a process that does nothing until it is killed.
pid_t start_idle() {
    pid_t const child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    return child;
}

void end(pid_t process) {
    REQUIRE(process > 0);
    kill(process, SIGKILL);
    CHECK(waitpid(process, nullptr, 0) == process);
}

// Calls of the system that tell which file was opened, and act where the lock is waited for.
struct watched_calls : system_calls {
    int opened = -1, waits = 0, closed = 0;
    std::function<void()> meanwhile;

    int openat(int folder, char const* name, int flags, mode_t mode) override {
        return opened = system_calls::openat(folder, name, flags, mode);
    }
    int close(int file) override { return ++closed, system_calls::close(file); }
    void sleep(int) override {
        ++waits;
        if (meanwhile) meanwhile();
    }
};

} // namespace

TEST_CASE("a lock is held for others until its end, byte by byte") {
    test::folder const folder;
    auto const file = folder / "lock";
    {
        auto const held = lock_of(file, 0);
        REQUIRE(held);
        CHECK(lock_of(file, 0).reached() == file_lock::state::busy);
        CHECK(lock_of(file, 1));
    }
    CHECK(lock_of(file, 0));
    CHECK(lock_of(folder / "none/lock", 0).reached() == file_lock::state::not_opened);
    CHECK(errno == ENOENT);
}

TEST_CASE("a process that is forked while the lock is waited for does not have the file open") {
    test::folder const folder;
    auto const file = folder / "lock";
    auto first = lock_of(file, 0);
    REQUIRE(first);
    watched_calls system;
    int status = -1;
    system.meanwhile = [&] {
        pid_t const child = fork();
        if (child == 0) _exit(fcntl(system.opened, F_GETFD) == -1 && errno == EBADF ? 0 : 1);
        waitpid(child, &status, 0);
        auto const ended = std::move(first);
    };
    auto const second = lock_of(file, 0, system, /*most_milliseconds=*/1000);
    CHECK(second);
    CHECK(system.waits == 1);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a file that is not locked is closed: after the wait, or when a call throws") {
    test::folder const folder;
    auto const file = folder / "lock";
    auto const held = lock_of(file, 0);
    watched_calls system;
    CHECK(lock_of(file, 0, system, /*most_milliseconds=*/10).reached() == file_lock::state::busy);
    CHECK(system.waits > 0);
    CHECK(system.closed == 1);
    system.meanwhile = [] { throw std::bad_alloc(); };
    CHECK_THROWS_AS(lock_of(file, 0, system, /*most_milliseconds=*/10), std::bad_alloc);
    CHECK(system.closed == 2);
}

TEST_CASE("a lock ends while a process that was forked meanwhile lives on") {
    test::folder const folder;
    auto const file = folder / "lock";
    pid_t child = -1;
    {
        auto const held = lock_of(file, 0);
        REQUIRE(held);
        child = start_idle();
        CHECK(!lock_of(file, 0));
    }
    CHECK(lock_of(file, 0));
    end(child);
}

TEST_CASE("a lock ends with its process, while one that was forked meanwhile lives on") {
    test::folder const folder;
    auto const file = folder / "lock";
    int told[2];
    REQUIRE(pipe(told) == 0);
    pid_t const parent = fork();
    REQUIRE(parent >= 0);
    if (parent == 0) {
        auto const held = lock_of(file, 0);
        if (!held) _exit(1);
        pid_t const child = start_idle();
        if (child < 0) _exit(1);
        if (write(told[1], &child, sizeof child) != sizeof child) {
            kill(child, SIGKILL);
            _exit(1);
        }
        _exit(0); // without the destructor, as if it were killed
    }
    close(told[1]); // so that read() ends if the parent of the child fails
    pid_t child = 0;
    bool const is_told = read(told[0], &child, sizeof child) == sizeof child;
    close(told[0]);
    int status = -1;
    CHECK(waitpid(parent, &status, 0) == parent);
    CHECK(status == 0);
    REQUIRE(is_told);
    // The child closes the file before fork() returns in it, which may be later than in its parent.
    bool is_free = false;
    for (int round = 0; round < 500 && !is_free; ++round) {
        is_free = static_cast<bool>(lock_of(file, 0));
        if (!is_free) usleep(10'000);
    }
    CHECK(is_free);
    kill(child, SIGKILL);
}
