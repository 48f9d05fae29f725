// Tells a slow launch from one that is stuck.
// SPDX-License-Identifier: Apache-2.0
//
// A worker is an OS thread that runs the threads of a cluster as fibers. A poller asks for a change
// in a loop. The launch counts changes for which threads may poll. A misuse breaks a rule of the
// GPU, and ends the launch with a report.
#include "sim/scheduler/deadlock.h"

#include "sim/checker/diagnostic.h"
#include "sim/scheduler/scheduler.h"

#include <algorithm>
#include <string>
#include <thread>

namespace spio::sim {

// A round is a call of resolve(). A worker is stuck when nothing has changed during more polls and
// more rounds than these.
constexpr unsigned long long max_polls = 2'000'000;
constexpr int min_rounds = 1000;
// If no thread polls, it is a deadlock once the waits of bounded time were ended in this many
// rounds, and nothing has changed.
constexpr int max_timeouts = 3;
// If threads poll, the waits of bounded time end in one of this many rounds.
constexpr int rounds_per_timeout = 16;

void deadlock_detector::reset() {
    if (is_stuck_) worker_.launch->stuck_workers--;
    is_stuck_ = false;
    polls_ = 0;
    rounds_ = 0;
}

// Wakes the threads that wait for a phase of an mbarrier, as if their time limit had passed:
// mbarrier_try_wait may return before the phase has ended. Returns whether there were any.
bool deadlock_detector::time_out_waits() {
    bool any = false;
    for (auto& block : worker_.cluster.blocks) {
        for (auto& thread : block->threads) {
            if (thread.state != thread_state::waiting ||
                thread.blocked_by.kind != wait_kind::mbarrier_phase) {
                continue;
            }
            wake(thread);
            any = true;
        }
    }
    return any;
}

void deadlock_detector::resolve() {
    auto& launch = *worker_.launch;
    if (auto const changes = launch.changes.load(); changes != changes_) {
        changes_ = changes;
        reset();
    }
    rounds_++;
    auto& pollers = worker_.pollers;
    if (pollers.empty()) {
        if (rounds_ > max_timeouts || !time_out_waits()) raise(misuse::deadlock);
        return;
    }
    for (auto const* const thread : pollers) {
        polls_ += thread->blocked_by.kind == wait_kind::spin ? spin_monitor::window : 1;
    }
    if (polls_ > max_polls && rounds_ > min_rounds) {
        // Blocks that other OS threads run may still bring the change.
        if (!is_stuck_) launch.stuck_workers++;
        is_stuck_ = true;
        if (launch.stuck_workers == launch.active_workers && launch.changes == changes_) {
            raise(misuse::livelock);
        }
        std::this_thread::yield();
    }
    if (rounds_ % rounds_per_timeout == 0) time_out_waits();
    for (auto* const thread : pollers) wake(*thread);
    pollers.clear();
}

void deadlock_detector::raise(misuse kind) {
    gpu_thread const* first = nullptr;
    std::string text;
    for (auto& block : worker_.cluster.blocks) {
        for (auto const& thread : block->threads) {
            if (first == nullptr && thread.state != thread_state::ended) first = &thread;
        }
        if (!text.empty()) text += "; in block rank " + std::to_string(block->rank) + " ";
        text += describe_threads(*block);
    }
    auto const& launch = *worker_.launch;
    auto const clusters = launch.grid.count() / launch.shape.cluster.count();
    auto const waiting = clusters - std::min(clusters, launch.next_cluster.load());
    if (waiting > 0) {
        text += "; " + std::to_string(waiting * launch.shape.cluster.count()) +
                " blocks of the grid have not begun, and begin when others end";
    }
    record_misuse(*first, kind, "%s: %s",
                  kind == misuse::deadlock ? "nobody can go on"
                                           : "everybody asks, and nothing changes",
                  text.c_str());
    throw launch_stopped{};
}

} // namespace spio::sim
