// Extreme problems of axpby: every grid covers the vectors exactly, and nothing overflows.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a call; a spec is what its kernel is compiled from.
// specialize() makes a spec, or throws where the problem or the configuration is not possible.
// draw_extreme() draws all fields of a problem or configuration; if it is told to be wild, some are
// outside of their range. A typed_spec is a spec with the type of its parameters.
#include <doctest/doctest.h>

#include "tests/spec/extreme.h"

#include <iostream>
#include <random>

import spio.axpby;
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

} // namespace

TEST_CASE("extreme problems of axpby") {
    std::mt19937 random(21);
    alignas(16) static float memory[4];
    int accepted = 0, launched = 0;
    int const problems = test::problem_count();
    for (int i = 0; i < problems; ++i) {
        auto const problem = drawn<axpby::problem>(random);
        auto const config = drawn<axpby::config>(random);
        CAPTURE(problem.n);
        CAPTURE(text_of(config));
        // The grid of any problem and configuration can be asked for.
        REQUIRE(axpby::grid(config, problem.n).count() > 0);
        REQUIRE(axpby::grid(axpby::best_config(problem), problem.n).count() > 0);
        if (i % 10 != 0) continue; // to specialize takes longer
        typed_spec<axpby::params> spec;
        try {
            spec = axpby::specialize(problem, config, sm_80);
        } catch (spio::error const&) {
            continue;
        }
        ++accepted;
        // Half of the vectors x have another size than y, which is an error.
        int const x_size = random() % 2 == 0 ? problem.n : static_cast<int>(random());
        axpby::params const params = {.a = 1,
                                      .x = axpby::scalars(memory, axpby::N(x_size)),
                                      .b = 1,
                                      .y = axpby::scalars(memory, axpby::N(problem.n))};
        try {
            long long const blocks = spec.grid(params).count();
            long long const elements = 4LL * config.threads * config.vectors;
            REQUIRE(x_size == problem.n);
            REQUIRE(blocks * elements >= problem.n);
            REQUIRE((blocks - 1) * elements <= problem.n);
            ++launched;
        } catch (spio::error const&) {
            REQUIRE(x_size != problem.n);
        }
    }
    CHECK(accepted > problems / 20);
    CHECK(launched > problems / 50);
    std::cout << "summary: spec.axpby.extreme: " << problems << " problems, " << accepted
              << " specialized of every tenth, " << launched << " launched\n";
}
