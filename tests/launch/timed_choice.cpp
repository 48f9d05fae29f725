// Choices by times, without a device: turns, medians, and what counts as noise.
// SPDX-License-Identifier: Apache-2.0
//
// A turn is one timed launch of a candidate; every candidate has the same number of turns, one in
// each round. The first candidate is the one that was expected to be the fastest.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

import spio.launch;

using spio::timed_choice;

TEST_CASE("each candidate has one turn in every round, and a turn that is given back comes again") {
    timed_choice choice(3);
    for (std::size_t turn = 0; turn < 3 * timed_choice::rounds; ++turn) {
        CHECK(!choice.is_decided());
        CHECK(choice.best() == 0);
        auto next = choice.take_turn();
        REQUIRE(next);
        CHECK(*next == turn % 3);
        if (turn == 4) {
            choice.give_back(*next);
            CHECK(choice.take_turn() == next);
        }
        choice.add(*next, *next == 2 ? 1 : 2);
    }
    CHECK(!choice.take_turn());
    CHECK(choice.is_decided());
    CHECK(choice.best() == 2);
    CHECK(choice.milliseconds(1) == 2);
}

TEST_CASE("the median counts, and the first candidate stays unless another is 2 % faster") {
    auto const best_of = [](std::vector<double> const& times, double outlier) {
        timed_choice choice(times.size());
        while (auto const next = choice.take_turn()) {
            // One time of the first candidate is an outlier.
            bool const is_outlier = *next == 0 && choice.milliseconds(0) < 1e9 && outlier > 0;
            choice.add(*next, is_outlier ? outlier : times[*next]);
            if (is_outlier) outlier = 0;
        }
        return choice.best();
    };
    CHECK(best_of({1}, 0) == 0);
    CHECK(best_of({1, 0.99}, 0) == 0);
    CHECK(best_of({1, 0.97}, 0) == 1);
    CHECK(best_of({1, 0.97, 0.96, 0.97}, 0) == 2);
    CHECK(best_of({1, 1}, 1e6) == 0);
    CHECK(best_of({1, 0.97}, 1e-6) == 1);
}
