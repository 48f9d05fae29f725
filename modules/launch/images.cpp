// Looks for images in the sources that the policy allows.
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
                "'" + std::string(text) + "' is none of aot_only, aot_then_jit and jit_only");
}

policy policy_of_environment() {
    static policy const policy = [] {
        char const* const text = ::secure_getenv("SPIO_POLICY");
        return text == nullptr ? policy::aot_then_jit : policy_named(text);
    }();
    return policy;
}

image images::find(spec const& spec, policy policy) const {
    auto const start = clock::now();
    if (policy != policy::jit_only) {
        if (auto found = find_packed(spec)) return counted(*std::move(found), start);
        if (is_logged()) {
            if (auto const stale = packed_reason(spec); !stale.empty()) log("stale: " + stale);
        }
    }
    if (policy != policy::aot_only) {
        try {
            if (auto found = compile(spec)) return counted(*std::move(found), start);
        } catch (error const& e) {
            if (e.kind() != error_kind::no_compiler) throw;
            miss(spec, policy, e.reason(), start);
        }
    }
    miss(spec, policy, {}, start);
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
    if (policy == policy::aot_then_jit) reason += ", and nothing here compiles it";
    if (policy == policy::aot_only) reason += ", and nothing else is asked";
    throw error(error_kind::not_found, "find", "kernel " + spec.spelled(),
                reason + " under " + std::string(name_of(policy)) +
                    "; the manifest line that adds it to a pack of " + text_of(spec.arch) +
                    " is: " + spec.line() +
                    (no_compiler.empty() ? "" : "; to compile it: " + no_compiler));
}

std::optional<image> images::compile(spec const& spec) const {
    std::unique_lock lock(mutex);
    if (auto found = memory.find(spec)) {
        found->found = origin::memory;
        return found;
    }
    auto const [entry, is_first] =
        in_flight.try_emplace({spec.symbol, text_of(spec.arch)}, std::make_shared<compilation>());
    auto const compilation = entry->second;
    if (is_first) {
        lock.unlock();
        run(spec, *compilation);
        lock.lock();
    } else {
        done.wait(lock, [&] { return compilation->is_done; });
    }
    if (compilation->failure) std::rethrow_exception(compilation->failure);
    auto result = compilation->result;
    if (result && !is_first) result->found = origin::memory;
    return result;
}

void images::run(spec const& spec, compilation& compilation) const {
    std::optional<image> result;
    std::exception_ptr failure;
    try {
        result = find_compiled(spec);
        // origin::packed is the default value: a compiler that leaves it has compiled the image
        // now.
        if (result && result->found == origin::packed) result->found = origin::compiled;
        if (result) memory.add(*result);
    } catch (...) {
        failure = std::current_exception();
    }
    std::lock_guard const lock(mutex);
    compilation = {std::move(result), failure, true};
    in_flight.erase({spec.symbol, text_of(spec.arch)});
    done.notify_all();
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
    std::lock_guard const lock(mutex);
    return counters;
}

} // namespace spio
