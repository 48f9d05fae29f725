// The lock of a file is its process's alone: a process that is forked meanwhile does not hold it.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/folder.h"

#include <optional>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.system;

using namespace spio;

namespace {

// Opens a file anew and locks a byte of it, if nobody has locked that.
std::optional<file_lock> lock_of(std::string const& file, int byte) {
    auto& system = operating_system();
    int const opened = system.openat(AT_FDCWD, file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(opened >= 0);
    if (system.lock(opened, byte) == 0) return file_lock(system, opened, byte);
    system.close(opened);
    return {};
}

// Starts a process that does nothing until it is killed.
pid_t start_idle() {
    pid_t const child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (;;) pause();
    }
    return child;
}

void end(pid_t process) {
    kill(process, SIGKILL);
    CHECK(waitpid(process, nullptr, 0) == process);
}

} // namespace

TEST_CASE("a lock is held for others until its end, byte by byte") {
    test::folder const folder;
    auto const file = folder / "lock";
    {
        auto const held = lock_of(file, 0);
        REQUIRE(held);
        CHECK(!lock_of(file, 0));
        CHECK(lock_of(file, 1));
    }
    CHECK(lock_of(file, 0));
}

TEST_CASE("a lock ends while a process that was forked meanwhile lives on") {
    test::folder const folder;
    auto const file = folder / "lock";
    auto held = lock_of(file, 0);
    REQUIRE(held);
    pid_t const child = start_idle();
    CHECK(!lock_of(file, 0));
    held.reset();
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
        pid_t const child = start_idle();
        bool const is_told = held && write(told[1], &child, sizeof child) == sizeof child;
        _exit(is_told ? 0 : 1); // without the destructor, as if it were killed
    }
    pid_t child = 0;
    REQUIRE(read(told[0], &child, sizeof child) == sizeof child);
    close(told[0]);
    close(told[1]);
    int status = -1;
    CHECK(waitpid(parent, &status, 0) == parent);
    CHECK(status == 0);
    // The child closes the file before fork() returns in it, which may be later than in its parent.
    bool is_free = false;
    for (int round = 0; round < 500 && !is_free; ++round) {
        is_free = lock_of(file, 0).has_value();
        if (!is_free) usleep(10'000);
    }
    CHECK(is_free);
    kill(child, SIGKILL);
}
