// Asks the sources as the policy has it.
// SPDX-License-Identifier: Apache-2.0
module;

#include <chrono>
#include <cstdint>
#include <cstdlib>
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
    throw error("read", "SPIO_POLICY",
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
        if (auto found = find_shipped(of)) {
            add(&image_counters::shipped, &image_counters::shipped_milliseconds, start);
            return *std::move(found);
        }
    }
    if (p != policy::aot_only) {
        if (auto found = kept.find(of)) {
            add(&image_counters::kept, nullptr, start);
            return *std::move(found);
        }
        if (auto found = find_compiled(of)) {
            add(&image_counters::compiled, &image_counters::compiled_milliseconds, start);
            kept.add(*found);
            return *std::move(found);
        }
    }
    add(&image_counters::missed, nullptr, start);
    std::string why = p == policy::jit_only ? "nothing here compiles it" : "no pack has it";
    if (p == policy::aot_then_jit) why += ", and nothing here compiles it";
    if (p == policy::aot_only) why += ", and nothing else is asked";
    throw error("find", "kernel " + of.spelled(),
                why + " under " + std::string(name_of(p)) +
                    "; the manifest line that adds it to a pack of " + of.arch +
                    " is: " + of.line());
}

void images::add(std::uint64_t image_counters::* events, double image_counters::* milliseconds,
                 clock::time_point since) const {
    std::chrono::duration<double, std::milli> const spent = clock::now() - since;
    std::lock_guard const lock(mutex);
    counters.*events += 1;
    if (milliseconds != nullptr) counters.*milliseconds += spent.count();
}

image_counters images::count() const {
    std::lock_guard const lock(mutex);
    return counters;
}

} // namespace spio
