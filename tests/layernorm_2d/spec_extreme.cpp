// Extreme problems of LayerNorm: every size is exact or refused, and nothing overflows.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the number of channels and whether there are a weight and a bias; a spec is what its
// kernel is compiled from. draw_extreme() draws all fields of a problem or configuration; if it is
// told to be wild, some are outside of their range.
#include <doctest/doctest.h>

#include "tests/spec/extreme.h"

#include <climits>
#include <iostream>
#include <random>

import spio.layernorm_2d;
import spio.spec;

using namespace spio;

namespace {

// A random problem or configuration, often of extreme numbers.
template <class T> T drawn(std::mt19937& random) {
    T value = {};
    auto slots = slots_of(value); // its fields, each with the range of its values
    test::draw_extreme(random, slots, random() % 8 == 0); // one of eight goes beyond these ranges
    return value;
}

bool is_specialized(layernorm_2d::problem const& problem, layernorm_2d::config const& config) {
    try {
        auto const spec = layernorm_2d::specialize(problem, config, sm_80);
        REQUIRE(spec.shape.shared_bytes == config.shared_bytes());
        return true;
    } catch (spio::error const&) {
        return false;
    }
}

} // namespace

TEST_CASE("extreme problems of layernorm_2d") {
    std::mt19937 random(22);
    int fitting = 0, specialized = 0;
    int const problems = test::problem_count();
    for (int i = 0; i < problems; ++i) {
        auto const problem = drawn<layernorm_2d::problem>(random);
        auto config =
            i % 4 == 0 ? layernorm_2d::best_config(problem) : drawn<layernorm_2d::config>(random);
        // A random number of lanes is seldom a power of two, as most configurations that fit need.
        if (i % 4 == 1) config.lanes = 1 << random() % 6;
        int const positions = test::edge_number(random, INT_MIN, INT_MAX);
        CAPTURE(text_of(problem));
        CAPTURE(text_of(config));
        CAPTURE(positions);
        REQUIRE(config.shared_bytes() >= 0);
        REQUIRE(config.threads() >= 0);
        REQUIRE(layernorm_2d::grid(config, positions).count() > 0);
        if (!config.fits(problem)) continue;
        ++fitting;
        // 16 bytes for each vector of each stage, and two floats for each sum of a warp.
        __int128 const bytes = static_cast<__int128>(16) * config.lanes * config.positions *
                                   config.vectors * config.stages +
                               8LL * config.sums();
        REQUIRE((config.shared_bytes() == (bytes > INT_MAX ? INT_MAX : bytes)));
        if (i % 8 == 0) specialized += is_specialized(problem, config);
    }
    CHECK(fitting > problems / 5);
    CHECK(specialized > problems / 20);
    std::cout << "summary: spec.layernorm_2d.extreme: " << problems << " problems, " << fitting
              << " configurations that fit, " << specialized << " specialized\n";
}
