// A thread adds a task while the process ends: it is dropped, whichever queue it is added to.
// SPDX-License-Identifier: Apache-2.0
//
// exit() ends the queues of tasks before it destroys what tasks may use, but other threads go on
// meanwhile. With the argument `thread` no task was added by the main thread before.
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <unistd.h>

import spio.system;

using spio::task_queue;

static std::atomic<bool> has_run = false;
static auto& used = *new task_queue;
static auto& fresh = *new task_queue;

// Called by exit() after it has ended the queues, because it was registered before their first
// task. wait() returns when no task is left.
static void check() {
    for (auto* const queue : {&used, &fresh}) {
        std::thread([=] { queue->add([] { has_run = true; }); }).join();
        queue->wait();
    }
    if (has_run) _exit(1);
}

int main(int count, char** words) {
    std::atexit(check);
    auto const add = [] { used.add([] {}); };
    if (count > 1 && std::string_view(words[1]) == "thread") {
        std::thread(add).join();
    } else {
        add();
    }
    used.wait();
}
