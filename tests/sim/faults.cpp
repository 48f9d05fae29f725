// What the language does not define, and faults that end the program.
// SPDX-License-Identifier: Apache-2.0
#include "machine/thread.h"
#include "misuse.h"

#include <sys/wait.h>
#include <unistd.h>

namespace machine = spio::machine;
using namespace planted;

static launch_shape const shape = {
    .grid = {2}, .block = {32}, .dynamic_shared_bytes = 256, .name = "faults"};
static int volatile zero = 0;

// Dies of it in a process of its own, and returns what that said.
template <class Body> static std::string last_words(Body const& body) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t const child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        spio::sim::launch(shape, body, {.os_threads = 1});
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char piece[256];
    for (ssize_t n = 0; (n = read(ends[0], piece, sizeof piece)) > 0;) {
        said.append(piece, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((!WIFEXITED(status) || WEXITSTATUS(status) != 0));
    return said;
}

static int fall(int depth) {
    int volatile room[1000];
    for (int i = 0; i < 1000; i++) room[i] = depth;
    return depth < zero ? depth : fall(depth + 1) + room[depth % 1000];
}

TEST_CASE("a fault names the thread that met it") {
    auto const wild = last_words([] {
        if (machine::thread_index().x == 9) *reinterpret_cast<int volatile*>(zero + 64) = 1;
    });
    CAPTURE(wild);
    CHECK(wild.find("faults, block (0, 0, 0), thread (9, 0, 0): a fault") != std::string::npos);
    misuses_reported++;

    auto const deep = last_words([] {
        if (machine::thread_index().x == 3) zero = fall(0);
    });
    CAPTURE(deep);
    CHECK(deep.find("thread (3, 0, 0): its stack overflowed") != std::string::npos);
    misuses_reported++;
}

TEST_CASE("a reference to nothing is undefined behaviour") {
    expect_misuse(misuse::undefined_behaviour, "faults.cpp:[0-9]+: a 'int' at null", shape, [] {
        int* const nowhere = reinterpret_cast<int*>(static_cast<std::intptr_t>(zero));
        if (machine::thread_index().x == 4) *nowhere = 1;
    });
}
