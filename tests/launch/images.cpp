// Which source of images (compiled kernels) is asked under each policy, and which device runs them.
// SPDX-License-Identifier: Apache-2.0
//
// A spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. A source is a pack, a file of images, or a compiler. `images` asks its sources,
// keeps what a compiler made in memory, and counts where images were found. A policy says whether
// images come from packs, from a compiler, or both.
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

import spio.added_images;
import spio.axpby;
import spio.image;
import spio.launch;
import spio.spec;

using namespace spio;

namespace {

// Returns an empty image for every specification, and counts the calls.
struct compiler {
    mutable int asked = 0;

    std::optional<image> compile(spec const& spec) const {
        ++asked;
        return image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, "a compiler");
    }
};

// A source that reports that no compiler is installed.
struct source_without_compiler {
    std::optional<image> compile(spec const& spec) const {
        throw no_compiler_error(spec, "there is no NVRTC");
    }
};

// The reason of the error if no source has an image, or "none".
std::string reason_for_miss(images const& images, spec const& spec, policy policy) {
    try {
        images.find(spec, policy);
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("each policy asks the sources that its name says") {
    auto const shipped = axpby::specialize({.n = 1000}, sm_80);
    auto const other = axpby::specialize({.n = 10'000'000}, sm_80);
    added_images pack;
    pack.add(image_of_bytes(shipped, image_kind::cubin, /*bytes=*/{}, "a pack"));
    compiler const jit;
    images const all_images(pack, jit, policy::aot_then_jit);

    CHECK(all_images.find(shipped).made_by == "a pack");
    CHECK(all_images.find(shipped, policy::aot_only).made_by == "a pack");
    CHECK(jit.asked == 0);
    CHECK(all_images.find(other).made_by == "a compiler");
    CHECK(all_images.find(other).made_by == "a compiler");
    CHECK(jit.asked == 1);
    CHECK(all_images.find(shipped, policy::jit_only).made_by == "a compiler");
    CHECK(jit.asked == 2);
    CHECK(
        reason_for_miss(all_images, other, policy::aot_only) ==
        "no pack has it, and nothing else is asked under aot_only; the manifest line that adds it "
        "to a pack of sm_80 is: axpby n=10000000");
    auto const count = all_images.count();
    CHECK(count.packed == 2);
    CHECK(count.compiled == 2);
    CHECK(count.memory == 1);
    CHECK(count.missed == 1);

    no_source const empty_source;
    images const none(empty_source, empty_source, policy::aot_then_jit);
    CHECK(reason_for_miss(none, shipped, policy::aot_then_jit)
              .starts_with("no pack has it, and nothing here compiles it under aot_then_jit"));
    CHECK(reason_for_miss(none, shipped, policy::jit_only)
              .starts_with("nothing here compiles it under jit_only"));
}

TEST_CASE("without a compiler, a miss names the manifest line to add, and is counted") {
    no_source const no_pack;
    source_without_compiler const jit;
    images const images(no_pack, jit, policy::aot_then_jit);
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    CHECK(reason_for_miss(images, spec, policy::aot_then_jit) ==
          "no pack has it, and nothing here compiles it under aot_then_jit; the manifest line that "
          "adds it to a pack of sm_80 is: axpby n=1000; to compile it: there is no NVRTC");
    CHECK(reason_for_miss(images, spec, policy::jit_only)
              .ends_with("; to compile it: there is no NVRTC"));
    CHECK(images.count().missed == 2);
}

namespace {

// A compiler whose calls end once `askers` threads are about to ask, and fail while `fails` is set.
struct slow_compiler {
    mutable std::atomic<int> calls = 0;
    std::atomic<int> askers = 0;
    int expected_askers = 0;
    std::atomic<bool> fails = false;

    std::optional<image> compile(spec const& spec) const {
        ++calls;
        while (askers < expected_askers) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20)); // they ask meanwhile
        if (fails) {
            throw spio::error(error_kind::tool_failed, "compile", spec.spelled(), "a syntax error");
        }
        auto image = image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, "a compiler");
        image.found = origin::compiled;
        return image;
    }
};

// Calls f in so many threads at once.
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
    no_source const no_pack;
    slow_compiler compiler;
    compiler.expected_askers = threads;
    images const images(no_pack, compiler, policy::aot_then_jit);
    compiler.fails = true;
    std::atomic<int> failures = 0;
    run_threads(threads, [&] {
        ++compiler.askers;
        try {
            images.find(spec);
        } catch (spio::error const& e) {
            failures += e.kind() == error_kind::tool_failed && e.reason() == "a syntax error";
        }
    });
    CHECK(failures == threads);
    CHECK(compiler.calls < threads);
    CHECK(images.count().compiled == 0);

    compiler.fails = false;
    compiler.calls = 0;
    run_threads(threads, [&] { CHECK(images.find(spec).symbol == spec.symbol); });
    CHECK(compiler.calls == 1);
    CHECK(images.count().compiled == 1);
    CHECK(images.count().memory == threads - 1);
}

TEST_CASE("policies have names") {
    for (auto const p :
         {policy::aot_only, policy::generic_then_jit, policy::aot_then_jit, policy::jit_only}) {
        CHECK(policy_named(name_of(p)) == p);
    }
    CHECK_THROWS_WITH_AS(policy_named("jit"),
                         "read for SPIO_POLICY: 'jit' is none of aot_only, generic_then_jit, "
                         "aot_then_jit and jit_only",
                         spio::error);
}

TEST_CASE("the environment sets the policy of calls that name none") {
    char const* const value = std::getenv("SPIO_POLICY");
    CHECK(policy_of_environment() ==
          (value == nullptr ? policy::generic_then_jit : policy_named(value)));
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    added_images pack;
    pack.add(image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, "a pack"));
    compiler const jit;
    images const images(pack, jit);
    bool const compiles = policy_of_environment() == policy::jit_only;
    CHECK(images.find(spec).made_by == (compiles ? "a compiler" : "a pack"));
}

TEST_CASE("the image comes from the first source that has it") {
    auto const spec = axpby::specialize({.n = 1000}, sm_80);
    added_images empty, first, second;
    first.add(image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, "first"));
    second.add(image_of_bytes(spec, image_kind::cubin, /*bytes=*/{}, "second"));
    CHECK(first_of(empty, first, second).find(spec)->made_by == "first");
    CHECK(!first_of(empty, empty).find(spec));
    CHECK(!first_of(first).find(axpby::specialize({.n = 1000}, sm_90a)));
}

// suits() is higher the better code suits a chip, and 0 for code that does not run there.
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
