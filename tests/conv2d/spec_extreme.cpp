// Extreme problems of grouped convolution: every size is exact or refused, and nothing overflows.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// spec is what a kernel is compiled from: a problem (sizes and options), a configuration and an
// architecture. A plan has all of a TMA tensor map but the address: sizes, strides, box.
#include <doctest/doctest.h>

#include "tests/spec/extreme.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

constexpr arch archs[] = {sm_80, sm_86, sm_90a, compute_80, host_arch};

// A struct with random fields; where it is wild, some are outside of their bounds.
template <class T> T drawn(std::mt19937& random, bool is_wild) {
    T value = {};
    auto slots = slots_of(value);
    test::draw_extreme(random, slots, is_wild); // wild: some out of their range
    return value;
}

// A drawn problem, legal in about half of the cases. Large images mostly get narrow padding.
conv2d::problem drawn_problem(std::mt19937& random) {
    auto problem = drawn<conv2d::problem>(random, random() % 10 == 0);
    if (random() % 8 != 0) problem.pad_h = static_cast<int>(random() % 8);
    if (random() % 8 != 0) problem.pad_w = static_cast<int>(random() % 8);
    if (problem.pass == conv2d::direction::dgrad) problem.bias = false;
    if (problem.pass != conv2d::direction::wgrad) problem.gradient = conv2d::precision::fp32;
    bool const is_plain = problem.pass == conv2d::direction::wgrad || !problem.has_static_layer();
    if (is_plain || random() % 2 == 0) problem.activation = conv2d::activation::none;
    if (problem.activation == conv2d::activation::none) problem.scale = problem.residual = false;
    if (problem.pass == conv2d::direction::dgrad) problem.scale = problem.residual = false;
    problem.preactivation = problem.residual;
    if (problem.gradient != conv2d::precision::fp32 && random() % 4 != 0) {
        problem.gradient = conv2d::precision_of(problem.type);
    }
    if (!problem.has_static_layer() && random() % 8 != 0) {
        problem.stride_h = problem.stride_w = 1;
        problem.c = std::min(problem.c, 8192);
    }
    return problem;
}

// Of one of the four bodies, as drawn() draws it.
conv2d::config drawn_config(std::mt19937& random, bool is_wild) {
    switch (random() % 4) {
    case 0:
        return drawn<conv2d::cp_async::config>(random, is_wild);
    case 1:
        return drawn<conv2d::tma::config>(random, is_wild);
    case 2:
        return drawn<conv2d::wgrad_cp_async::config>(random, is_wild);
    default:
        return drawn<conv2d::wgrad_tma::config>(random, is_wild);
    }
}

// The result of f(), or nothing if it throws Spio's error. Anything else it throws ends the test.
template <class F> auto result_of(F const& f) -> std::optional<decltype(f())> {
    try {
        return f();
    } catch (spio::error const&) {
        return {};
    }
}

bool is_legal(conv2d::problem const& problem) {
    return result_of([&] { return (conv2d::check(problem), true); }).has_value();
}

// How many problems and configurations passed each check; spaces are lists of configurations.
struct tally {
    int legal = 0, fitting = 0, launched = 0, specialized = 0, spaces = 0;
};

// The blocks of fprop and dgrad, by an independent computation in wide numbers.
__int128 wide_blocks(conv2d::problem const& problem, int images, int rows, int columns,
                     int groups) {
    auto const sizes = conv2d::correlation_of(problem);
    auto const parts = [](__int128 size, __int128 part) { return (size + part - 1) / part; };
    // With a dilation of 2 and no stride, blocks have every second row.
    int const phases = sizes.rows.dilation == 2 && sizes.rows.stride == 1 ? 2 : 1;
    return parts(problem.n, images) * phases * parts(parts(sizes.p, phases), rows) *
           parts(sizes.q, columns) * parts(problem.c / 8, groups);
}

// Checks all sizes of a kernel, for a legal problem and a configuration within its bounds.
template <class Config>
void check_body(conv2d::problem const& problem, Config const& config, tally& counts) {
    REQUIRE((config.shared_bytes(problem) >= 0 && config.threads(problem) >= 0));
    long long const blocks = config.blocks_of(problem);
    // A launch of wgrad for any layer brings the splits, and with them the blocks.
    bool const is_dynamic = problem.pass == conv2d::direction::wgrad && !problem.has_static_layer();
    REQUIRE(blocks >= (is_dynamic ? 0 : 1));
    if (blocks == 0) return;
    if constexpr (requires { config.workspace_bytes(problem); }) {
        REQUIRE((config.workspace_bytes(problem) > 0) == !config.is_one_kernel(problem));
    } else if constexpr (!requires { config.tiles_per_block; }) {
        auto const exact =
            wide_blocks(problem, config.images, config.rows, config.columns, config.groups);
        REQUIRE((blocks == exact || (blocks == LLONG_MAX && exact >= LLONG_MAX)));
    }
    bool const fits = config.fits(problem);
    auto const expected = result_of([&] { return conv2d::explain(problem, config, sm_90a); });
    REQUIRE(expected.has_value() == fits);
    if (!fits) return;
    ++counts.fitting;
    REQUIRE(std::isfinite(expected->microseconds));
    REQUIRE(expected->microseconds > 0);
    auto const grid = result_of([&] { return conv2d::grid(problem, config); });
    REQUIRE(grid.has_value() == (blocks <= INT_MAX));
    if (grid) REQUIRE(grid->count() == blocks);
}

template <class Plan> void check_plan(Plan const& plan) {
    for (int i = 0; i < plan.rank; ++i) {
        REQUIRE(plan.sizes[i] > 0);
        REQUIRE(plan.strides[i] > 0);
    }
}

void check_plans(conv2d::problem const& problem, conv2d::config const& config) {
    if (auto const* const tma = std::get_if<conv2d::tma::config>(&config)) {
        check_plan(conv2d::tma::input_plan(problem, *tma));
        check_plan(conv2d::tma::output_plan(problem, *tma));
    } else if (auto const* const wgrad = std::get_if<conv2d::wgrad_tma::config>(&config)) {
        check_plan(conv2d::wgrad_tma::x_plan(problem, *wgrad));
        check_plan(conv2d::wgrad_tma::dy_plan(problem, *wgrad));
    }
}

alignas(16) char memory[16];
template <class T> T* address() { return reinterpret_cast<T*>(memory); }

// Launches a kernel for any image on images of extreme sizes. What is accepted has exactly the
// sizes that the problem says.
void check_launch(std::mt19937& random, conv2d::problem const& problem, tally& counts) {
    using namespace conv2d;
    auto const extent = [&] {
        return static_cast<int>(random() % 4 == 0 ? random() >> 1 : INT_MAX);
    };
    bool const is_consistent = random() % 2 == 0;
    auto const p = [&] { return is_consistent ? problem.p() : extent(); };
    auto const q = [&] { return is_consistent ? problem.q() : extent(); };
    int const n = is_consistent ? problem.n : extent(), h = is_consistent ? problem.h : extent(),
              w = is_consistent ? problem.w : extent(), c = problem.c;
    auto compiled = problem;
    compiled.type = element_type::fp16;
    if (random() % 2 == 0) compiled.made_for = known_sizes::any_image;
    std::optional<conv2d::problem> launched;
    if (problem.pass == direction::wgrad) {
        using args = wgrad_args<float>;
        compiled.gradient = precision::fp32;
        launched = result_of([&] {
            return problem_of(
                compiled,
                args{.x = input_of<half const>(address<half const>(), N(n), H(h), W(w), C(c)),
                     .dy = decltype(args::dy)(address<half const>(), N(n), P(p()), Q(q()), K(c)),
                     .dw = filter_of<float>(address<float>(), K(c), R(problem.r), S(problem.s)),
                     .dbias = bias_of<float>(address<float>(), K(problem.bias ? c : 0)),
                     .workspace = floats(address<float>(), FLOAT(1))});
        });
    } else {
        bool const is_forward = problem.pass == direction::fprop;
        int const rows = p(), columns = q();
        launched = result_of([&] {
            return problem_of(
                compiled,
                correlation_args<half>{
                    .input =
                        input_of<half const>(address<half const>(), N(n), H(is_forward ? h : rows),
                                             W(is_forward ? w : columns), C(c)),
                    .filter = filter_of<half const>(address<half const>(), K(c), R(problem.r),
                                                    S(problem.s)),
                    .bias = bias_of<float const>(address<float const>(), K(problem.bias ? c : 0)),
                    .output = output_of<half>(address<half>(), N(n), P(is_forward ? rows : h),
                                              Q(is_forward ? columns : w), K(c))});
        });
    }
    if (is_consistent) REQUIRE(launched.has_value());
    if (!launched) return;
    ++counts.launched;
    REQUIRE(launched->h == h);
    REQUIRE(launched->w == w);
    REQUIRE(launched->p() >= 1);
}

} // namespace

TEST_CASE("extreme problems of conv2d") {
    std::mt19937 random(20);
    tally counts;
    int const problems = test::problem_count();
    for (int i = 0; i < problems; ++i) {
        auto const problem = drawn_problem(random);
        auto const config = drawn_config(random, /*is_wild=*/false);
        arch const arch = archs[random() % std::size(archs)];
        CAPTURE(i);
        if (!is_legal(problem)) {
            REQUIRE(!result_of([&] { return conv2d::grid(problem, config); }));
            if (i % 10 != 0) continue; // an error's text takes as long as all other checks
            REQUIRE(!result_of([&] { return conv2d::explain(problem, config, arch); }));
            REQUIRE(!result_of([&] { return conv2d::best_tma(problem); }));
            REQUIRE(!result_of([&] { return conv2d::best_wgrad_cp_async(problem, arch); }));
            REQUIRE(!result_of([&] { return conv2d::best_wgrad_tma(problem, arch); }));
            continue;
        }
        ++counts.legal;
        std::visit([&](auto const& body) { check_body(problem, body, counts); }, config);
        check_plans(problem, config);
        check_launch(random, problem, counts);
        auto const wild = drawn_config(random, /*is_wild=*/true);
        result_of([&] { return conv2d::explain(problem, wild, arch); });
        result_of([&] { return conv2d::grid(problem, wild); });
        if (problem.pass == conv2d::direction::wgrad) {
            check_body(problem, conv2d::best_wgrad_cp_async(problem, arch), counts);
            check_body(problem, conv2d::best_wgrad_tma(problem, arch), counts);
        } else {
            bool const has_tma = conv2d::tma::config::has_pass(problem);
            auto const best = result_of([&] { return conv2d::best_tma(problem); });
            REQUIRE(best.has_value() == has_tma);
            if (best) check_body(problem, *best, counts);
        }
        if (i % 250 == 0 && result_of([&] {
                auto const best = conv2d::best_config(problem, arch);
                return conv2d::specs_of(problem, best, arch);
            })) {
            ++counts.specialized;
        }
        // A list of all configurations takes as long as a thousand other checks.
        if (counts.legal % 800 == 1) {
            ++counts.spaces;
            for (auto const& listed : conv2d::space(problem, arch)) {
                std::visit([&](auto const& body) { check_body(problem, body, counts); }, listed);
            }
        }
    }
    CHECK(counts.legal > problems / 3);
    CHECK(counts.fitting > problems / 3);
    CHECK(counts.launched > problems / 6);
    CHECK(counts.specialized > 0);
    CHECK(counts.spaces > problems / 3334); // of every 800th legal one
    std::cout << "summary: spec.conv2d.extreme: " << problems << " problems, " << counts.legal
              << " legal, " << counts.fitting << " configurations that fit, " << counts.launched
              << " launches, " << counts.specialized << " specialized, " << counts.spaces
              << " lists of configurations\n";
}

TEST_CASE("problems and configurations of zeros are refused, not divided by") {
    for (auto const pass :
         {conv2d::direction::fprop, conv2d::direction::dgrad, conv2d::direction::wgrad}) {
        conv2d::problem const good = {.n = 1, .c = 8, .h = 8, .w = 8, .pass = pass};
        for (auto const& problem :
             {good, good.with(0, 0, 0),
              conv2d::problem{.n = 0, .c = 0, .h = 0, .w = 0, .pass = pass}}) {
            for (conv2d::config const& config :
                 {conv2d::config(conv2d::cp_async::config{}), conv2d::config(conv2d::tma::config{}),
                  conv2d::config(conv2d::wgrad_cp_async::config{}),
                  conv2d::config(conv2d::wgrad_tma::config{})}) {
                for (arch const arch : archs) {
                    CHECK_THROWS_AS(conv2d::explain(problem, config, arch), spio::error);
                    CHECK_THROWS_AS(conv2d::specs_of(problem, config, arch), spio::error);
                }
                CHECK_THROWS_AS(conv2d::grid(problem, config), spio::error);
            }
        }
        for (auto const& problem :
             {good.with(0, 0, 0), conv2d::problem{.n = 0, .c = 0, .h = 0, .w = 0, .pass = pass}}) {
            CHECK_THROWS_AS(conv2d::best_tma(problem), spio::error);
            CHECK_THROWS_AS(conv2d::best_wgrad_cp_async(problem, sm_80), spio::error);
            CHECK_THROWS_AS(conv2d::best_wgrad_tma(problem, sm_90a), spio::error);
            CHECK_THROWS_AS(conv2d::space(problem, sm_90a), spio::error);
        }
    }
}

TEST_CASE("the tallest image of one column has a weight gradient") {
    auto const problem =
        parse<conv2d::problem>("conv2d", "pass=wgrad n=1 c=8 h=2147483647 w=8 pad_h=0");
    auto const config = conv2d::best_config(problem, sm_90a);
    CHECK(conv2d::explain(problem, config, sm_90a).microseconds > 0);
    CHECK(conv2d::specs_of(problem, config, sm_90a).size() == 2); // partial sums, and their sum
}
