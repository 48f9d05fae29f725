// Tasks run behind their caller, in their order; waiting, ending and forking leave none half done.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

import spio.system;

using namespace spio;

namespace {

// Whether this thread blocks a signal.
bool is_blocked(int signal) {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return sigismember(&blocked, signal) == 1;
}

constexpr auto moment = std::chrono::milliseconds(10);

} // namespace

TEST_CASE("wait() returns when the last task has ended, and tasks run in their order") {
    task_queue queue;
    queue.wait(); // there is none
    std::vector<int> order;
    for (int number = 0; number < 3; ++number) {
        queue.add([&order, number] {
            std::this_thread::sleep_for(moment);
            order.push_back(number);
        });
    }
    queue.wait();
    CHECK(order == std::vector{0, 1, 2});
    bool has_ended = false;
    std::latch begun(1);
    queue.add([&] {
        begun.count_down();
        std::this_thread::sleep_for(moment);
        has_ended = true;
    });
    begun.wait(); // no task waits for its turn any more
    queue.wait();
    CHECK(has_ended);
}

TEST_CASE("an idle task begins when something starts the thread, and is dropped if nothing does") {
    std::atomic<int> ended = 0;
    {
        task_queue queue;
        queue.add_idle([&] { ++ended; });
        queue.add_idle([&] { ++ended; });
        std::this_thread::sleep_for(moment);
        CHECK(ended == 0);
        queue.start();
        queue.start(); // again: nothing
        queue.wait();
        CHECK(ended == 2);
        queue.add_idle([&] { ++ended; }); // the thread runs already
        queue.wait();
        CHECK(ended == 3);
    }
    task_queue waited, added, dropped;
    waited.start(); // there is no task
    waited.add_idle([&] { ended += 10; });
    waited.wait();
    CHECK(ended == 13);
    std::latch begun(2);
    added.add_idle([&] { begun.count_down(); });
    added.add([&] { begun.count_down(); });
    begun.wait();
    dropped.add_idle([&] { ++ended; });
    dropped.end();
    dropped.start();
    dropped.wait();
    CHECK(ended == 13);
}

TEST_CASE("the end of a queue waits for the task that runs, and drops all others") {
    task_queue queue;
    std::atomic<int> ended = 0;
    std::latch begun(1);
    queue.add([&] {
        begun.count_down();
        std::this_thread::sleep_for(moment);
        ++ended;
    });
    queue.add([&] { ++ended; });
    begun.wait();
    queue.end();
    CHECK(ended == 1);
    queue.add([&] { ++ended; });
    queue.wait();
    queue.end();
    CHECK(ended == 1);
}

TEST_CASE("signals go to the caller's threads alone") {
    task_queue queue;
    bool is_blocked_behind = false;
    queue.add([&] { is_blocked_behind = is_blocked(SIGUSR1) && is_blocked(SIGINT); });
    CHECK(!is_blocked(SIGUSR1));
    queue.wait();
    CHECK(is_blocked_behind);
}

TEST_CASE("a forked process waits for no task of its parent, and runs tasks of its own") {
    task_queue queue;
    std::latch begun(1), may_end(1);
    std::atomic<int> ended = 0;
    queue.add([&] {
        begun.count_down();
        may_end.wait();
        ++ended;
    });
    queue.add([&] { ++ended; });
    begun.wait();
    for (bool const ends : {false, true}) {
        pid_t const child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(10); // whoever waits for the parent's thread waits for ever
            queue.wait();
            if (ends) queue.end();
            queue.add([&] { ended += 10; });
            queue.wait();
            queue.end();
            _exit(ended == (ends ? 0 : 10) ? 0 : 1);
        }
        int status = -1;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        CHECK(status == 0);
    }
    may_end.count_down();
    queue.wait();
    CHECK(ended == 2);
}
