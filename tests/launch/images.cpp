// Which source is asked, under each policy, and what suits which device.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <latch>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

import spio.axpby;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

// Makes an image of whatever it is asked for, and counts.
struct compiler {
    mutable int asked = 0;

    std::optional<image> find(spec const& of) const {
        ++asked;
        return image_of_bytes(of, image_kind::cubin, {}, "a compiler");
    }
};

// Would compile, if it had anything to do it with.
struct helpless {
    std::optional<image> find(spec const& of) const {
        throw no_compiler_error(of, "there is no NVRTC");
    }
};

std::string miss(images const& from, spec const& of, policy p) {
    try {
        from.find(of, p);
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("each policy asks whom it says") {
    auto const shipped = axpby::specialize({.n = 1000}, sm_80);
    auto const other = axpby::specialize({.n = 10'000'000}, sm_80);
    memory_source pack;
    pack.add(image_of_bytes(shipped, image_kind::cubin, {}, "a pack"));
    CHECK(pack.size() == 1);
    compiler const jit;
    images const all(pack, jit, policy::aot_then_jit);

    CHECK(all.find(shipped).made_by == "a pack");
    CHECK(all.find(shipped, policy::aot_only).made_by == "a pack");
    CHECK(jit.asked == 0);
    CHECK(all.find(other).made_by == "a compiler");
    CHECK(all.find(other).made_by == "a compiler");
    CHECK(jit.asked == 1);
    CHECK(all.find(shipped, policy::jit_only).made_by == "a compiler");
    CHECK(jit.asked == 2);
    CHECK(
        miss(all, other, policy::aot_only) ==
        "no pack has it, and nothing else is asked under aot_only; the manifest line that adds it "
        "to a pack of sm_80 is: axpby n=10000000");
    auto const count = all.count();
    CHECK(count.packed == 2);
    CHECK(count.compiled == 2);
    CHECK(count.memory == 1);
    CHECK(count.missed == 1);

    no_source const nothing;
    images const none(nothing, nothing, policy::aot_then_jit);
    CHECK(miss(none, shipped, policy::aot_then_jit)
              .starts_with("no pack has it, and nothing here compiles it under aot_then_jit"));
    CHECK(miss(none, shipped, policy::jit_only)
              .starts_with("nothing here compiles it under jit_only"));
}

TEST_CASE("where nothing can compile, a miss is told with the line to add, and counted") {
    no_source const nothing;
    helpless const jit;
    images const all(nothing, jit, policy::aot_then_jit);
    auto const of = axpby::specialize({.n = 1000}, sm_80);
    CHECK(miss(all, of, policy::aot_then_jit) ==
          "no pack has it, and nothing here compiles it under aot_then_jit; the manifest line that "
          "adds it to a pack of sm_80 is: axpby n=1000; to compile it: there is no NVRTC");
    CHECK(miss(all, of, policy::jit_only).ends_with("; to compile it: there is no NVRTC"));
    CHECK(all.count().missed == 2);
}

namespace {

// Compiles slowly, or fails to.
struct slow_compiler {
    mutable std::atomic<int> calls = 0;
    std::atomic<bool> fails = false;

    std::optional<image> find(spec const& spec) const {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (fails) {
            throw spio::error(error_kind::tool_failed, "compile", spec.spelled(), "a syntax error");
        }
        auto image = image_of_bytes(spec, image_kind::cubin, {}, "a compiler");
        image.found = origin::compiled;
        return image;
    }
};

template <class F> void run_threads(int count, F f) {
    std::latch start(count);
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            f();
        });
    }
}

} // namespace

TEST_CASE("threads that ask for one kernel at once wait for one of them to compile it") {
    constexpr int threads = 16;
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    no_source const nothing;
    slow_compiler compiler;
    images const all(nothing, compiler, policy::aot_then_jit);
    compiler.fails = true;
    std::atomic<int> failures = 0;
    run_threads(threads, [&] {
        try {
            all.find(spec);
        } catch (spio::error const& e) {
            failures += e.kind() == error_kind::tool_failed && e.reason() == "a syntax error";
        }
    });
    CHECK(failures == threads);
    CHECK(compiler.calls < threads);
    CHECK(all.count().compiled == 0);

    compiler.fails = false;
    compiler.calls = 0;
    run_threads(threads, [&] { CHECK(all.find(spec).symbol == spec.symbol); });
    CHECK(compiler.calls == 1);
    CHECK(all.count().compiled == 1);
    CHECK(all.count().memory == threads - 1);
}

TEST_CASE("policies have names") {
    for (auto const p : {policy::aot_only, policy::aot_then_jit, policy::jit_only}) {
        CHECK(policy_named(name_of(p)) == p);
    }
    CHECK_THROWS_WITH_AS(policy_named("jit"),
                         "read for SPIO_POLICY: 'jit' is none of aot_only, aot_then_jit and "
                         "jit_only",
                         spio::error);
}

TEST_CASE("the environment says what is asked of all calls that do not say it") {
    char const* const said = std::getenv("SPIO_POLICY");
    CHECK(policy_of_environment() == (said == nullptr ? policy::aot_then_jit : policy_named(said)));
    auto const of = axpby::specialize({.n = 1000}, sm_80);
    memory_source pack;
    pack.add(image_of_bytes(of, image_kind::cubin, {}, "a pack"));
    compiler const jit;
    images const all(pack, jit);
    bool const compiles = policy_of_environment() == policy::jit_only;
    CHECK(all.find(of).made_by == (compiles ? "a compiler" : "a pack"));
}

TEST_CASE("the first source that has it gives it") {
    auto const of = axpby::specialize({.n = 1000}, sm_80);
    memory_source empty, first, second;
    first.add(image_of_bytes(of, image_kind::cubin, {}, "first"));
    second.add(image_of_bytes(of, image_kind::cubin, {}, "second"));
    CHECK(first_of(empty, first, second).find(of)->made_by == "first");
    CHECK(!first_of(empty, empty).find(of));
    CHECK(!first_of(first).find(axpby::specialize({.n = 1000}, sm_90a)));
}

TEST_CASE("code runs on its own chip, and on later ones as far as CUDA says") {
    CHECK(suits(sm_90a, sm_90a) > suits(parse_arch("sm_90"), sm_90a));
    CHECK(suits(sm_86, sm_89) > suits(sm_80, sm_89));
    CHECK(suits(sm_80, sm_89) > suits(compute_80, sm_89));
    CHECK(suits(compute_80, sm_90a) > 0);
    CHECK(suits(compute_80, parse_arch("sm_120a")) > 0);
    for (auto const& [code, chip] : {std::pair(sm_89, sm_86),
                                     {sm_80, sm_90a},
                                     {sm_90a, arch{100, 'a'}},
                                     {arch{90, 0, true}, sm_80},
                                     {host_arch, sm_80},
                                     {sm_80, host_arch},
                                     {arch(), sm_80}}) {
        CHECK(suits(code, chip) == 0);
        CHECK(!code.runs_on(chip));
    }
}
