// Asks the sources as the policy has it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

module spio.launch;

import spio.image;
import spio.spec;

namespace spio {

namespace {

constexpr std::pair<policy, std::string_view> policies[] = {
    {policy::aot_only, "aot_only"},
    {policy::aot_then_jit, "aot_then_jit"},
    {policy::jit_only, "jit_only"},
};

} // namespace

std::string_view name_of(policy p) {
    for (auto const& [each, name] : policies) {
        if (each == p) return name;
    }
    return "unknown";
}

policy policy_named(std::string_view text) {
    for (auto const& [each, name] : policies) {
        if (name == text) return each;
    }
    throw error(error_kind::invalid, "read", "SPIO_POLICY",
                "'" + std::string(text) + "' is none of aot_only, aot_then_jit and jit_only");
}

policy policy_of_environment() {
    static policy const once = [] {
        char const* const said = std::getenv("SPIO_POLICY");
        return said == nullptr ? policy::aot_then_jit : policy_named(said);
    }();
    return once;
}

image images::find(spec const& of, policy p) const {
    auto const start = clock::now();
    if (p != policy::jit_only) {
        if (auto found = find_shipped(of)) return counted(*std::move(found), start);
        if (is_logged()) {
            if (auto const stale = why_not_shipped(of); !stale.empty()) log("stale: " + stale);
        }
    }
    if (p != policy::aot_only) {
        try {
            if (auto found = compile(of)) return counted(*std::move(found), start);
        } catch (error const& e) {
            if (e.kind() != error_kind::no_compiler) throw;
            miss(of, p, e.reason(), start);
        }
    }
    miss(of, p, {}, start);
}

void images::miss(spec const& of, policy p, std::string const& no_compiler,
                  clock::time_point since) const {
    {
        std::lock_guard const lock(mutex);
        ++counters.missed;
    }
    log("missed", of, since);
    std::string shipped = p == policy::jit_only ? "" : why_not_shipped(of);
    if (shipped.empty()) shipped = "no pack has it";
    std::string why = p == policy::jit_only ? "nothing here compiles it" : shipped;
    if (p == policy::aot_then_jit) why += ", and nothing here compiles it";
    if (p == policy::aot_only) why += ", and nothing else is asked";
    throw error(error_kind::not_found, "find", "kernel " + of.spelled(),
                why + " under " + std::string(name_of(p)) +
                    "; the manifest line that adds it to a pack of " + text_of(of.arch) + " is: " +
                    of.line() + (no_compiler.empty() ? "" : "; to compile it: " + no_compiler));
}

std::optional<image> images::compile(spec const& of) const {
    std::unique_lock lock(mutex);
    if (auto found = kept.find(of)) {
        found->found = origin::memory;
        return found;
    }
    auto const [at, is_first] =
        flying.try_emplace({of.symbol, text_of(of.arch)}, std::make_shared<flight>());
    auto const one = at->second;
    if (is_first) {
        lock.unlock();
        land(of, *one);
        lock.lock();
    } else {
        landed.wait(lock, [&] { return one->has_landed; });
    }
    if (one->failure) std::rethrow_exception(one->failure);
    auto found = one->found;
    if (found && !is_first) found->found = origin::memory;
    return found;
}

void images::land(spec const& of, flight& one) const {
    std::optional<image> found;
    std::exception_ptr failure;
    try {
        found = find_compiled(of);
        // Whoever compiles says so, or has it from elsewhere.
        if (found && found->found == origin::shipped) found->found = origin::compiled;
        if (found) kept.add(*found);
    } catch (...) {
        failure = std::current_exception();
    }
    std::lock_guard const lock(mutex);
    one = {std::move(found), failure, true};
    flying.erase({of.symbol, text_of(of.arch)});
    landed.notify_all();
}

image images::counted(image found, clock::time_point since) const {
    std::chrono::duration<double, std::milli> const spent = clock::now() - since;
    log(name_of(found.found), found, since);
    std::lock_guard const lock(mutex);
    auto const add = [&](std::uint64_t& events, double& milliseconds) {
        ++events;
        milliseconds += spent.count();
    };
    switch (found.found) {
    case origin::shipped:
        add(counters.shipped, counters.shipped_milliseconds);
        break;
    case origin::memory:
        add(counters.kept, counters.kept_milliseconds);
        break;
    case origin::disk:
        add(counters.disk, counters.disk_milliseconds);
        break;
    case origin::compiled:
        add(counters.compiled, counters.compiled_milliseconds);
        break;
    }
    return found;
}

image_counters images::count() const {
    std::lock_guard const lock(mutex);
    return counters;
}

} // namespace spio
