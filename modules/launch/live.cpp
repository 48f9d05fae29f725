// Chooses among kernels for one problem by the times of a program's own launches.
// SPDX-License-Identifier: Apache-2.0
//
// A turn is one timed launch of a candidate; a timer is a pair of events around it. No launch waits
// for its events: a later launch collects the times that have become known. Each candidate gets
// `rounds` turns. The first candidate is the one that was expected to be the fastest. Another is
// chosen only if it takes less than `least_gain` of its time, because times are noisy.
module;

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

module spio.launch;

import spio.error;

namespace spio {

std::optional<std::size_t> timed_choice::take_turn() {
    auto const next = std::ranges::min_element(turns);
    if (next == turns.end() || *next == rounds) return {};
    ++*next;
    return static_cast<std::size_t>(next - turns.begin());
}

void timed_choice::add(std::size_t candidate, double milliseconds) {
    times[candidate].push_back(milliseconds);
}

void timed_choice::give_back(std::size_t candidate) { --turns[candidate]; }

bool timed_choice::is_decided() const {
    return std::ranges::all_of(times, [](auto const& list) { return list.size() == rounds; });
}

double timed_choice::milliseconds(std::size_t candidate) const {
    auto sorted = times[candidate];
    if (sorted.empty()) return std::numeric_limits<double>::infinity();
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
}

std::size_t timed_choice::best() const {
    if (!is_decided()) return 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < times.size(); ++i) {
        auto const most = best == 0 ? least_gain * milliseconds(0) : milliseconds(best);
        if (milliseconds(i) < most) best = i;
    }
    return best;
}

std::optional<live_choice::turn> live_choice::take(stream const& stream) {
    collect();
    std::optional<turn> next;
    {
        std::lock_guard const lock(mutex);
        auto const candidate = has_failed ? std::nullopt : choice.take_turn();
        if (!candidate) return {};
        next = {.candidate = *candidate, .timer = nullptr};
        if (!idle_timers.empty()) {
            next->timer = std::move(idle_timers.back());
            idle_timers.pop_back();
        }
    }
    try {
        if (!next->timer) next->timer = stream.make_timer();
    } catch (error const&) { // treated like a device that has no timers
    }
    if (next->timer) return next;
    fail();
    return {};
}

bool live_choice::begin(turn& taken, stream const& stream) {
    try {
        stream.begin(*taken.timer);
        return true;
    } catch (error const&) {
        fail();
        return false;
    }
}

void live_choice::end(turn ended, stream const& stream) {
    try {
        stream.end(*ended.timer);
    } catch (error const&) {
        return fail();
    }
    std::lock_guard const lock(mutex);
    pending.push_back(std::move(ended));
}

void live_choice::cancel(turn cancelled) {
    std::lock_guard const lock(mutex);
    choice.give_back(cancelled.candidate);
    idle_timers.push_back(std::move(cancelled.timer));
}

// Asks for the times of turns that have ended. The lock is not held while the device is asked:
// the turns are taken out of `pending` first, so that no other thread asks for the same ones.
void live_choice::collect() {
    std::vector<turn> asked;
    {
        std::lock_guard const lock(mutex);
        asked.swap(pending);
    }
    if (asked.empty()) return;
    std::vector<std::optional<double>> answers;
    try {
        for (auto const& each : asked) answers.push_back(each.timer->milliseconds());
    } catch (error const&) {
        return fail();
    }
    std::lock_guard const lock(mutex);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto& [candidate, timer] = asked[i];
        if (!answers[i]) {
            pending.push_back(std::move(asked[i]));
            continue;
        }
        choice.add(candidate, *answers[i]);
        idle_timers.push_back(std::move(timer));
    }
}

void live_choice::fail() {
    std::lock_guard const lock(mutex);
    has_failed = true;
}

std::optional<live_choice::verdict> live_choice::judge() const {
    std::lock_guard const lock(mutex);
    if (has_failed) return verdict{.has_failed = true};
    if (!choice.is_decided()) return {};
    auto const best = choice.best();
    return verdict{.best = best,
                   .milliseconds = choice.milliseconds(best),
                   .milliseconds_of_first = choice.milliseconds(0)};
}

} // namespace spio
