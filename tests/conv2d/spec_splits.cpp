// Splits of a weight gradient: which rows they have.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter from rows of the gradient dy of the output. A strip is
// some neighbouring columns of some images, and a split is a share of the rows of all strips.
#include "conv2d/wgrad.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

using namespace spio;
using conv2d::wgrad::first_row_of_split;

namespace {

// Checks that splits cover all rows in order, that each split of many rows has none, all, or at
// least `least` of the rows of a strip, and that its size is about the mean.
void check_splits(int strips, int rows, int splits, int least) {
    INFO(strips, " strips of ", rows, " rows, ", splits, " splits, at least ", least);
    long long const count = 1LL * strips * rows;
    auto const first_of = [&](int split) {
        return first_row_of_split(count, rows, split, splits, least);
    };
    CHECK(first_of(0) == 0);
    CHECK(first_of(splits) == count);
    bool const are_long = count >= 2LL * least * splits;
    bool const are_halved = rows >= 2 * least;
    int const most_moved = !are_long ? 0 : are_halved ? least : rows; // both ends together
    for (int split = 0; split < splits; ++split) {
        int const end = first_of(split + 1), size = end - first_of(split);
        CHECK(size >= (are_long ? 1 : 0));
        CHECK(std::abs(size - static_cast<int>(count / splits)) <= most_moved + 1);
        int const row = end % rows; // of its strip
        bool const is_between = are_halved && row >= least && rows - row >= least;
        CHECK((!are_long || row == 0 || is_between));
    }
}

} // namespace

TEST_CASE("long splits of a weight gradient leave no few rows of a strip") {
    check_splits(/*strips=*/16, /*rows=*/56, /*splits=*/44, /*least=*/7);
    check_splits(/*strips=*/48, /*rows=*/14, /*splits=*/33, /*least=*/3);
    check_splits(/*strips=*/1, /*rows=*/1, /*splits=*/1, /*least=*/7);
    // The equal share would end five rows after the begin of a strip: seven are the nearest.
    CHECK(first_row_of_split(16 * 56, 56, 3, 44, 7) == 63);
    CHECK(first_row_of_split(16 * 56, 56, 3, 44, 1) == 61);
    std::mt19937 random(2026);
    for (int trial = 0; trial < 300; ++trial) {
        auto const uniform = [&](int least, int most) {
            return std::uniform_int_distribution<int>(least, most)(random);
        };
        int const strips = uniform(1, 60), rows = uniform(1, 60);
        check_splits(strips, rows, uniform(1, 140), uniform(1, 7));
    }
}
