// Generic kernels and those that take their place: what a runtime has for both.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every problem of its kind. Kernels for one problem alone are found on a
// background thread (search) and loaded by a later launch (take), which then uses the first of
// them. If there are several, launches take turns with them, and the fastest stays (settle).
// `begun`, `unchanged` and the others count problems and what became of them.
module;

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

module spio.launch;

import spio.spec;
import spio.system;

namespace spio {

tiers::tiers(images const& images, kernels const& kernels, config_source const& configs,
             options options)
    : found_images(&images),
      loaded_kernels(&kernels),
      chosen_configs(&configs),
      own_options(std::move(options)) {}

tiers::~tiers() { queue->end(); }

void tiers::begin(std::string const& subject) const {
    counters->begun.fetch_add(1);
    log("generic " + subject);
}

tier_counters tiers::count() const {
    return {.begun = counters->begun.load(),
            .unchanged = counters->unchanged.load(),
            .compiled = counters->compiled.load(),
            .taken = counters->taken.load(),
            .failed = counters->failed.load(),
            .compared = counters->compared.load(),
            .decided = counters->decided.load(),
            .recorded = counters->recorded.load(),
            .unrecorded = counters->unrecorded.load()};
}

void tier_state::improve(std::shared_ptr<tier_state> const& state, tiers const& tiers,
                         std::string const& subject, std::function<std::size_t()> find,
                         std::function<void(std::size_t, double)> keep, int awaited_launches) {
    state->counters = tiers.counters;
    state->subject = subject;
    state->queue = tiers.queue;
    state->keep = std::move(keep);
    tiers.queue->add_idle([weak = std::weak_ptr(state), find = std::move(find)] {
        if (auto const found = weak.lock()) found->search(find);
    });
    state->awaited_launches.store(awaited_launches, std::memory_order_release);
    if (awaited_launches == 0) tiers.queue->start();
}

void tier_state::count_launch() {
    int count = awaited_launches.load(std::memory_order_acquire);
    while (count > 0 && !awaited_launches.compare_exchange_weak(count, count - 1)) {
    }
    if (count == 1) queue->start();
}

void tier_state::search(std::function<std::size_t()> const& find) {
    try {
        offered = find();
        auto& count = offered == 0 ? counters->unchanged : counters->compiled;
        count.fetch_add(1);
        if (offered > 0) is_offered.store(true, std::memory_order_release);
    } catch (std::exception const& failure) {
        fail(failure);
    }
}

namespace {

// Whether this thread or the stream, if there is one, is captured into a graph. If the driver does
// not say, the stream counts as captured.
bool is_in_capture(stream const* stream) {
    try {
        return is_capturing_thread() || (stream != nullptr && stream->is_captured());
    } catch (error const&) {
        return true;
    }
}

std::string microseconds_text(double milliseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f us", 1e3 * milliseconds);
    return text;
}

} // namespace

void tier_state::take(stream const* stream) {
    if (is_in_capture(stream) || is_taking.exchange(true, std::memory_order_acquire)) return;
    if (is_offered.exchange(false, std::memory_order_acquire)) {
        for (std::size_t number = 0; number < offered; ++number) {
            try {
                load(number);
                numbers.push_back(number);
            } catch (std::exception const& failure) {
                fail(failure);
            }
        }
        end_loading();
        if (!numbers.empty()) {
            select(0);
            counters->taken.fetch_add(1);
            log("took over: " + subject);
        }
        if (numbers.size() > 1) {
            choice.emplace(numbers.size());
            counters->compared.fetch_add(1);
            is_compared.store(true, std::memory_order_release);
        }
    }
    is_taking.store(false, std::memory_order_release);
}

std::optional<live_choice::turn> tier_state::turn(stream const& stream) {
    if (is_in_capture(&stream)) return {};
    auto turn = choice->take(stream);
    if (auto const verdict = choice->judge()) settle(*verdict);
    return turn;
}

void tier_state::settle(live_choice::verdict const& verdict) {
    if (!is_compared.exchange(false, std::memory_order_acq_rel)) return;
    if (verdict.has_failed) {
        counters->failed.fetch_add(1);
        return log("not compared: " + subject + ": the device has no times of launches");
    }
    select(verdict.best);
    counters->decided.fetch_add(1);
    log("fastest of " + std::to_string(numbers.size()) + ": " + subject + ", number " +
        std::to_string(verdict.best + 1) + " by expectation, " +
        microseconds_text(verdict.milliseconds) + "; the first took " +
        microseconds_text(verdict.milliseconds_of_first));
    queue->add([keep = keep, number = numbers[verdict.best], counters = counters, subject = subject,
                microseconds = 1e3 * verdict.milliseconds] {
        try {
            keep(number, microseconds);
            counters->recorded.fetch_add(1);
        } catch (std::exception const& failure) {
            counters->unrecorded.fetch_add(1);
            log("not kept: " + subject + ": " + failure.what());
        }
    });
}

void tier_state::fail(std::exception const& failure) {
    counters->failed.fetch_add(1);
    log("not improved: " + subject + ": " + failure.what());
}

} // namespace spio
