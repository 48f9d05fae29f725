// Generic kernels of convolutions: one kernel for every layer with the same filter.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel knows only the size of the filter when it is compiled; the other sizes come with
// the launch. dgrad is the pass that computes the gradient of the input. A spec is what a kernel is
// compiled from.
#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

// The problem that words such as "n=1 c=8" spell.
conv2d::problem problem_of(std::string const& text) {
    return parse<conv2d::problem>("conv2d", text);
}

// A problem of random sizes with a filter of size x size.
conv2d::problem drawn(std::mt19937& random, int size, conv2d::direction pass) {
    auto const number = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    return {.n = number(1, 300),
            .c = 8 * number(1, 200),
            .h = number(size, 90),
            .w = number(size, 90),
            .r = size,
            .s = size,
            .pad_h = number(0, 9),
            .pad_w = number(0, 9),
            .bias = pass != conv2d::direction::dgrad && number(0, 1) == 1,
            .pass = pass,
            .gradient = conv2d::precision::fp32};
}

// The reason for which the problem is refused, or "none".
std::string refusal(std::string const& text) {
    try {
        conv2d::check(problem_of(text));
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}

} // namespace

TEST_CASE("every layer with a filter is served by one of a few generic kernels") {
    std::mt19937 random(2026);
    for (arch const arch : {sm_80, sm_89, sm_90a, compute_80, parse_arch("sm_120a")}) {
        for (int const size : {1, 3, 5, 7}) {
            for (auto const pass :
                 {conv2d::direction::fprop, conv2d::direction::dgrad, conv2d::direction::wgrad}) {
                std::set<std::string> symbols;
                for (int n = 0; n < 12; ++n) {
                    auto const problem = conv2d::generic_problem(drawn(random, size, pass));
                    auto const config = conv2d::best_config(problem, arch);
                    CHECK(conv2d::grid(problem, config).x > 0);
                    for (auto const& spec : conv2d::specs_of(problem, config, arch)) {
                        symbols.insert(spec.symbol);
                        CHECK(spec.shape.shared_bytes <= 227 * 1024);
                    }
                }
                // A pass has one kernel for narrow images and one for wide ones. A weight gradient
                // has four for partial sums, by the images' width, and two that add them.
                CHECK(symbols.size() <= (pass == conv2d::direction::wgrad ? 6 : 2));
            }
        }
    }
}

TEST_CASE("chips without TMA share generic kernels, also those newer than Spio") {
    auto const problem =
        conv2d::generic_problem(problem_of("n=32 c=64 h=30 w=30 pass=wgrad r=5 s=5"));
    auto const symbol = [&](arch arch) {
        auto const configs = conv2d::generic_configs(problem, arch);
        return conv2d::specs_of(problem, configs.front(), arch).front().symbol;
    };
    for (arch const arch : {sm_86, sm_89, compute_80, parse_arch("sm_120a")}) {
        CHECK(symbol(arch) == symbol(sm_80));
    }
    CHECK(symbol(sm_90a) != symbol(sm_80));
}

TEST_CASE("a generic kernel takes channels and padding from the launch") {
    using namespace conv2d;
    auto const compiled = problem_of("n=1 c=8 h=9 w=9 made_for=any_layer");
    alignas(16) unsigned short data[8] = {};
    // The problem of a launch with c channels, inputs of h x w and outputs of p x q.
    auto const launched = [&](int c, int h, int w, int p, int q) {
        return problem_of(compiled,
                          correlation_args<element_bits>{
                              .input = input_of<element_bits const>(data, N(3), H(h), W(w), C(c)),
                              .filter = filter_of<element_bits const>(data, K(c), R(3), S(3)),
                              .output = output_of<element_bits>(data, N(3), P(p), Q(q), K(c))});
    };
    auto const problem = launched(40, 20, 21, 22, 19);
    CHECK(problem.n == 3);
    CHECK(problem.c == 40);
    CHECK(problem.h == 20);
    CHECK(problem.pad_h == 2);
    CHECK(problem.pad_w == 0);
    // Sizes that no padding makes, channels in no whole group, an output for a negative padding.
    CHECK_THROWS_WITH_AS(launched(40, 20, 20, 21, 20), doctest::Contains("other sizes"), error);
    CHECK_THROWS_WITH_AS(launched(12, 20, 20, 20, 20), doctest::Contains("multiple of 8"), error);
    CHECK_THROWS_WITH_AS(launched(40, 20, 20, 16, 20), doctest::Contains("pad_h is -1"), error);
}

TEST_CASE("no generic kernel has strides, or more channels than its addresses hold") {
    CHECK(refusal("n=1 c=8 h=9 w=9 made_for=any_layer dilation_h=2") == "none");
    CHECK(refusal("n=1 c=8 h=9 w=9 made_for=any_layer stride_h=2")
              .starts_with("made_for is any_layer, so the strides must be 1"));
    CHECK(refusal("n=1 c=2097152 h=9 w=9 made_for=any_layer").ends_with("c is at most 1048576"));
    CHECK(refusal("n=1 c=2097152 h=9 w=9") == "none");
    CHECK(!conv2d::has_generic(problem_of("n=1 c=8 h=9 w=9 stride_w=2")));
}

TEST_CASE("every configuration that is tried for a generic kernel has a number of splits") {
    // Too few rows for two splits: half of them would be none.
    auto const problem = problem_of("n=2 c=1024 h=8 w=8 bias=true pass=wgrad made_for=any_layer");
    for (auto const arch : {sm_80, sm_90a}) {
        auto const configs = conv2d::space(problem, arch);
        CHECK(configs.size() > 1);
        for (auto const& config : configs) {
            CHECK(conv2d::explain(problem, config, arch).microseconds > 0);
        }
    }
}
