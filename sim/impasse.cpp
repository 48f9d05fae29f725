// Tells slow from stuck, and says who waits for what.
// SPDX-License-Identifier: Apache-2.0
#include "sim/impasse.h"

#include "sim/mbarrier.h"
#include "sim/refusal.h"
#include "sim/schedule.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

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

// What a thread does, of one or of several.
static std::string description(gpu_thread const& thread, bool several) {
    auto const& why = thread.waits;
    auto& block = *thread.block;
    auto const number = std::to_string(why.number);
    std::string const waits = several ? "wait" : "waits";
    if (thread.state == progress::ended) return "ended";
    switch (why.what) {
    case waiting_for::collective:
        return waits + " for lanes of the warp in " + why.name;
    case waiting_for::barrier: {
        auto const& barrier = block.barriers[why.number];
        return waits + " at barrier " + number + ", where " + std::to_string(barrier.here) +
               " of " + std::to_string(barrier.threads) + " have come";
    }
    case waiting_for::cluster:
        return waits + " for the cluster";
    case waiting_for::mbarrier_phase: {
        auto text = waits + " for the phase of parity " + std::to_string(why.other) +
                    " of the mbarrier at shared offset " + number;
        if (auto const found = block.mbarriers.find(why.number); found != block.mbarriers.end()) {
            auto const& barrier = *found->second;
            text += ", where " + std::to_string(barrier.expected - barrier.missing) + " of " +
                    std::to_string(barrier.expected) + " have arrived, and " +
                    std::to_string(barrier.bytes) + " bytes are missing";
        }
        return text;
    }
    case waiting_for::poll:
        return (several ? "ask by " : "asks by ") + std::string(why.name);
    case waiting_for::nothing:
        break;
    }
    return several ? "run" : "runs";
}

// Threads that do the same, as ranges of their numbers in the block.
static std::string who_does_what(gpu_block& block) {
    struct group {
        gpu_thread const* first;
        std::string what, who;
        bool several;
    };
    std::vector<group> groups;
    auto const& threads = block.threads;
    for (std::size_t i = 0; i < threads.size();) {
        auto const what = description(threads[i], true);
        auto end = i + 1;
        while (end < threads.size() && description(threads[end], true) == what) end++;
        auto place = std::ranges::find(groups, what, &group::what);
        bool const is_new = place == groups.end();
        if (is_new) place = groups.insert(place, {&threads[i], what, "", end - i > 1});
        place->who += (is_new ? "" : ", ") + std::to_string(i);
        if (end - i > 1) place->who += "-" + std::to_string(end - 1);
        place->several |= !is_new;
        i = end;
    }
    std::string text;
    for (auto const& group : groups) {
        text += (text.empty() ? "" : "; ") + std::string(group.several ? "threads " : "thread ") +
                group.who + " " + description(*group.first, group.several);
    }
    return text;
}

void impasse::refuse_all(misuse kind) {
    gpu_thread const* first = nullptr;
    std::string text;
    for (auto& block : worker_.cluster.blocks) {
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
