// Tells slow from stuck, and says who waits for what.
// SPDX-License-Identifier: Apache-2.0
#include "sim/impasse.h"

#include "sim/refusal.h"
#include "sim/schedule.h"

#include <map>
#include <string>
#include <thread>
#include <tuple>

namespace spio::sim {

constexpr unsigned long long most_polls = 2'000'000;
constexpr int least_rounds = 1000;
constexpr int waits_ended = 3;

void impasse::go_on() {
    if (counted_) worker_.launch->stuck--;
    counted_ = false;
    polls_ = 0;
    rounds_ = 0;
}

// Waits for an mbarrier's phase end after some time, and say so.
bool impasse::end_waits() {
    bool any = false;
    for (auto& block : worker_.cluster.blocks) {
        for (auto& thread : block->threads) {
            if (thread.state != progress::waiting ||
                thread.waits.what != waiting_for::mbarrier_phase) {
                continue;
            }
            thread.timed_out = true;
            wake(thread);
            any = true;
        }
    }
    return any;
}

void impasse::resolve() {
    auto& launch = *worker_.launch;
    if (auto const now = launch.changes.load(); now != changes_) {
        changes_ = now;
        go_on();
    }
    rounds_++;
    auto& pollers = worker_.pollers;
    if (pollers.empty()) {
        if (rounds_ > waits_ended || !end_waits()) refuse_all(misuse::deadlock);
        return;
    }
    polls_ += pollers.size();
    if (polls_ > most_polls && rounds_ > least_rounds) {
        // What they wait for may come from blocks that other OS threads run.
        if (!counted_) launch.stuck++;
        counted_ = true;
        if (launch.stuck == launch.active && launch.changes == changes_) {
            refuse_all(misuse::livelock);
        }
        std::this_thread::yield();
    }
    if (rounds_ % 16 == 0) end_waits();
    for (auto* const thread : pollers) wake(*thread);
    pollers.clear();
}

static std::string description(gpu_thread const& thread) {
    auto const& why = thread.waits;
    auto const number = std::to_string(why.number);
    if (thread.state == progress::ended) return "ended";
    switch (why.what) {
    case waiting_for::collective:
        return "wait for lanes of their warp in " + std::string(why.name);
    case waiting_for::barrier: {
        auto const& barrier = thread.block->barriers[why.number];
        return "wait at barrier " + number + ", where " + std::to_string(barrier.here) + " of " +
               std::to_string(barrier.threads) + " have come";
    }
    case waiting_for::cluster:
        return "wait for the cluster";
    case waiting_for::mbarrier_phase:
        return "wait for the phase of parity " + std::to_string(why.other) +
               " of the mbarrier at shared offset " + number;
    case waiting_for::poll:
        return "ask again and again";
    case waiting_for::nothing:
        break;
    }
    return "run";
}

// Threads that do the same, as ranges of their numbers in the block.
static std::string who_does_what(gpu_block const& block) {
    std::map<std::string, std::string> groups;
    auto const& threads = block.threads;
    for (std::size_t i = 0; i < threads.size();) {
        auto const what = description(threads[i]);
        auto end = i + 1;
        while (end < threads.size() && description(threads[end]) == what) end++;
        auto& who = groups[what];
        who += (who.empty() ? "" : ", ") + std::to_string(i);
        if (end - i > 1) who += "-" + std::to_string(end - 1);
        i = end;
    }
    std::string text;
    for (auto const& [what, who] : groups) {
        text += (text.empty() ? "threads " : "; threads ") + who + " " + what;
    }
    return text;
}

void impasse::refuse_all(misuse kind) {
    gpu_thread const* first = nullptr;
    std::string text;
    for (auto const& block : worker_.cluster.blocks) {
        for (auto const& thread : block->threads) {
            if (first == nullptr && thread.state != progress::ended) first = &thread;
        }
        if (!text.empty()) text += "; in block rank " + std::to_string(block->rank) + " ";
        text += who_does_what(*block);
    }
    take_down(*first, kind, "%s: %s",
              kind == misuse::deadlock ? "nobody can go on" : "everybody asks, and nothing changes",
              text.c_str());
    throw launch_stopped{};
}

} // namespace spio::sim
