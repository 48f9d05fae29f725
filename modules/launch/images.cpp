// Looks for images in the sources that the policy allows.
// SPDX-License-Identifier: Apache-2.0
//
// An image is a compiled kernel, and a spec what it is compiled from. A policy says whether kernels
// may come from packs (files of images), from a compiler at run time, or both. A flight finds an
// image once for all threads that ask for it at the same time. An image is stale if it was compiled
// from another text of its kernel. A text_identity is what two kernels of one symbol are told apart
// by: their text and headers.
module;

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

module spio.launch;

import :setting;
import spio.image;
import spio.spec;
import spio.system;

namespace spio {

namespace {

constexpr std::pair<policy, std::string_view> policies[] = {
    {policy::aot_only, "aot_only"},
    {policy::generic_then_jit, "generic_then_jit"},
    {policy::aot_then_jit, "aot_then_jit"},
    {policy::jit_only, "jit_only"},
};

} // namespace

std::string_view name_of(policy policy) {
    for (auto const& [value, name] : policies) {
        if (value == policy) return name;
    }
    return "unknown";
}

policy policy_named(std::string_view text) {
    for (auto const& [value, name] : policies) {
        if (name == text) return value;
    }
    throw error(error_kind::invalid, "read", "SPIO_POLICY",
                "'" + std::string(text) +
                    "' is none of aot_only, generic_then_jit, aot_then_jit and jit_only");
}

policy policy_of_environment() {
    static constinit setting<policy> setting;
    return setting.get([] {
        char const* const text = ::secure_getenv("SPIO_POLICY");
        return text == nullptr ? policy::generic_then_jit : policy_named(text);
    });
}

bool tier_up_of_environment() {
    static constinit setting<bool> setting;
    return setting.get([] { return is_on("SPIO_TIER_UP", /*default_value=*/true); });
}

bool live_tuning_of_environment() {
    static constinit setting<bool> setting;
    return setting.get([] { return is_on("SPIO_LIVE_TUNING", /*default_value=*/false); });
}

std::optional<image> images::find_shipped(spec const& spec) const {
    auto const start = clock::now();
    auto found = find_packed(spec);
    if (!found) return {};
    found->text = text_identity(spec);
    return counted(*std::move(found), start);
}

image images::find(spec const& spec, policy policy) const {
    auto const start = clock::now();
    if (policy != policy::jit_only) {
        if (auto found = find_shipped(spec)) return *std::move(found);
        if (is_logged()) {
            if (auto const stale = packed_reason(spec); !stale.empty()) log("stale: " + stale);
        }
    }
    if (policy != policy::aot_only) {
        try {
            if (auto found = find_outside_packs(spec)) return counted(*std::move(found), start);
        } catch (error const& e) {
            if (e.kind() != error_kind::no_compiler) throw;
            miss(spec, policy, e.reason(), start);
        }
    }
    miss(spec, policy, /*no_compiler=*/"", start);
}

void images::miss(spec const& spec, policy policy, std::string const& no_compiler,
                  clock::time_point start) const {
    {
        std::lock_guard const lock(mutex);
        ++counters.missed;
    }
    log("missed", spec, start);
    std::string packed = policy == policy::jit_only ? "" : packed_reason(spec);
    if (packed.empty()) packed = "no pack has it";
    std::string reason = policy == policy::jit_only ? "nothing here compiles it" : packed;
    if (policy == policy::aot_then_jit || policy == policy::generic_then_jit)
        reason += ", and nothing here compiles it";
    if (policy == policy::aot_only) reason += ", and nothing else is asked";
    throw error(error_kind::not_found, "find", "kernel " + spec.spelled(),
                reason + " under " + std::string(name_of(policy)) +
                    "; the manifest line that adds it to a pack of " + text_of(spec.arch) +
                    " is: " + spec.line() +
                    (no_compiler.empty() ? "" : "; to compile it: " + no_compiler));
}

namespace {

// Tells apart all that images may differ in. The first line is for messages.
std::string key_of(spec const& spec) {
    auto const number = [](auto value) { return "\n" + std::to_string(value); };
    return "kernel " + spec.symbol + " for " + text_of(spec.arch) +
           number(reinterpret_cast<std::uintptr_t>(spec.headers.data())) +
           number(spec.headers.size()) + "\n" + spec.source;
}

} // namespace

std::optional<image> images::find_in_memory(std::string const& key) const {
    std::lock_guard const lock(mutex);
    auto const found = memory.find(key);
    if (found == memory.end()) return {};
    auto result = found->second;
    result.found = origin::memory;
    return result;
}

std::optional<image> images::find_outside_packs(spec const& spec) const {
    auto const key = key_of(spec);
    if (auto found = find_in_memory(key)) return found;
    auto const [result, is_own] = flights.run(key, [&]() -> std::shared_ptr<void const> {
        // Another thread may have found it since this one looked.
        if (auto found = find_in_memory(key)) return std::make_shared<image const>(*found);
        auto found = find_kept ? find_kept(spec) : std::nullopt;
        if (!found) found = compile(spec);
        if (!found) return nullptr;
        // origin::packed is the default value: a compiler that leaves it has compiled the image
        // now.
        if (found->found == origin::packed) found->found = origin::compiled;
        found->text = text_identity(spec);
        std::lock_guard const lock(mutex);
        memory.insert_or_assign(key, *found);
        return std::make_shared<image const>(*std::move(found));
    });
    if (!result) return {};
    auto found = *static_cast<image const*>(result.get());
    if (!is_own) found.found = origin::memory;
    return found;
}

image images::counted(image image, clock::time_point start) const {
    std::chrono::duration<double, std::milli> const duration = clock::now() - start;
    log(name_of(image.found), image, start);
    std::lock_guard const lock(mutex);
    auto const add = [&](std::uint64_t& count, double& milliseconds) {
        ++count;
        milliseconds += duration.count();
    };
    switch (image.found) {
    case origin::packed:
        add(counters.packed, counters.packed_milliseconds);
        break;
    case origin::memory:
        add(counters.memory, counters.memory_milliseconds);
        break;
    case origin::disk:
        add(counters.disk, counters.disk_milliseconds);
        break;
    case origin::compiled:
        add(counters.compiled, counters.compiled_milliseconds);
        break;
    }
    return image;
}

image_counters images::count() const {
    image_counters result;
    {
        std::lock_guard const lock(mutex);
        result = counters;
    }
    if (count_files) result.folder = count_files();
    return result;
}

} // namespace spio
