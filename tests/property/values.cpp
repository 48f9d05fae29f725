// The algebra of single values: all pairs of strides, all pairs of values of a small domain.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. Coordinates have a value for each of several dimensions. A tally counts checks,
// and reports the first failure of each law; dice draw random numbers. The oracle computes the same
// by brute force. refold<n>(x) counts x in blocks of n, rounded down. conclude() prints how much
// was checked, and fails the test if a law did not hold.
#include "tally.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "model.h"

import spio.dims;

namespace {

struct K : spio::dim {
    using dim::dim;
};
template <int Stride> using fold = spio::fold<K, Stride>;

constexpr int strides = 24; // from 1 on
constexpr int reach = 50;   // of values, on both sides of 0

constexpr int greatest_common_divisor(int a, int b) {
    int g = a < b ? a : b;
    while (a % g != 0 || b % g != 0) --g;
    return g;
}

// Which laws hold for a pair of strides, for all values.
struct verdict {
    bool sum = true;
    bool difference = true;
    bool order = true;
    bool extremes = true;
    bool remainder = true;
    bool refolded = true;
};

// The verdict on folds of strides A and B.
template <int A, int B> verdict judge() {
    constexpr int g = greatest_common_divisor(A, B);
    verdict v;
    for (int x = -reach; x <= reach; ++x) {
        fold<A> const a(x);
        int const units = x * A;
        // Asking for a coarser fold floors; for a finer one it is exact.
        auto const floor = oracle::floor_quotient(units, B);
        v.refolded &= fold<B>(a).get() == floor && spio::refold<B>(a).get() == floor;
        for (int y = -reach; y <= reach; ++y) {
            fold<B> const b(y);
            int const other_units = y * B;
            auto const sum = a + b;
            auto const difference = a - b;
            v.sum &= std::is_same_v<decltype(sum), fold<g> const> &&
                     sum.get() * g == units + other_units;
            v.difference &= std::is_same_v<decltype(difference), fold<g> const> &&
                            difference.get() * g == units - other_units;
            v.order &= (a == b) == (units == other_units) && (a < b) == (units < other_units) &&
                       (a <= b) == (units <= other_units) && (a > b) == (units > other_units) &&
                       (a >= b) == (units >= other_units) && (a != b) == (units != other_units);
            auto const least = spio::unfold(spio::min(a, b)).get();
            auto const most = spio::unfold(spio::max(a, b)).get();
            v.extremes &=
                least == std::min(units, other_units) && most == std::max(units, other_units);
            if (y > 0) {
                v.remainder &= spio::unfold(a % b).get() == oracle::floor_rest(units, other_units);
            }
        }
    }
    return v;
}

// The verdicts on folds of stride A beside those of all strides.
template <int A, int... Bs> void judge_all(tally& counts, std::integer_sequence<int, Bs...>) {
    auto const report = [&](int b, verdict v) {
        auto const pair = [&] { return "strides " + std::to_string(A) + ", " + std::to_string(b); };
        counts.check(v.sum, "folds meet at the greatest common stride", pair);
        counts.check(v.difference, "differences meet at the greatest common stride", pair);
        counts.check(v.order, "comparison in base units", pair);
        counts.check(v.extremes, "min and max", pair);
        counts.check(v.remainder, "the remainder is never negative", pair);
        counts.check(v.refolded, "a coarser fold floors", pair);
    };
    (report(Bs + 1, judge<A, Bs + 1>()), ...);
}

// The laws for one stride: division by a number, sums of bounded values, and reduction.
template <int Stride> void judge_alone(tally& counts) {
    auto const text = [&] { return "stride " + std::to_string(Stride); };
    using bounded = spio::bounded<fold<Stride>, 8>;
    for (int x = -reach; x <= reach; ++x) {
        fold<Stride> const a(x);
        counts.check((-a).get() == -x && spio::unfold(a).get() == x * Stride, "value in base units",
                     text);
        counts.check((a * 3).get() == 3 * x && (3 * a).get() == 3 * x, "a multiple", text);
        for (int n = 1; n <= 24; ++n) {
            counts.check((a / n).get() == oracle::floor_quotient(x, n), "division floors", text);
        }
        auto const reduced = spio::modulo<8>(a);
        counts.check(std::is_same_v<decltype(reduced), bounded const> &&
                         reduced.get() == oracle::floor_rest(x, 8),
                     "modulo", text);
    }
    for (int x = 0; x < 8; ++x) {
        for (int y = 0; y < 8; ++y) {
            auto const sum = bounded(x) + bounded(y);
            counts.check(std::is_same_v<decltype(sum), fold<Stride> const> && sum.get() == x + y,
                         "a sum of bounded values is unbounded", text);
            counts.check((bounded(x) < bounded(y)) == (x < y), "order of bounded values", text);
        }
        counts.check(spio::refold<6>(bounded(x)).get() == x * Stride / 6, "a bounded value floors",
                     text);
    }
}

// Judges all strides; Zeros count from 0.
template <int... Zeros>
void judge_strides(tally& counts, std::integer_sequence<int, Zeros...> sequence) {
    (judge_all<Zeros + 1>(counts, sequence), ...);
    (judge_alone<Zeros + 1>(counts), ...);
}

} // namespace

TEST_CASE("single values obey the laws for all strides and values of a small domain") {
    tally counts;
    judge_strides(counts, std::make_integer_sequence<int, strides>());
    long long const values = 2 * reach + 1;
    counts.conclude("values: " + std::to_string(strides * strides) + " pairs of strides, " +
                    std::to_string(strides * strides * values * values) + " pairs of values");
}
