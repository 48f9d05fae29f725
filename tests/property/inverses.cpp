// Positions at offsets, in tensors whose pitches, known at run time, nest the axes in any order.
// SPDX-License-Identifier: Apache-2.0
//
// A pitch is the distance in memory between two steps of an axis. A dimension, such as I, is an
// integer type that says what it counts; axis<K>(24) is the dimension K with 24 values, k / 8 and k
// % 8 are its blocks of 8 and the positions in one. A late size or pitch is known only at run time.
// A tally counts checks, and reports the first failure of each law; dice draw random numbers.
// conclude() prints how much was checked, and fails the test if a law did not hold. rounds(n) is n
// unless SPIO_ROUNDS scales it.
#include "tally.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

import spio.dims;

namespace {

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::dynamic;
using spio::fold;
using spio::pitch;

constexpr auto late_i = axis<I>(dynamic);
constexpr auto late_j = axis<J>(dynamic);
constexpr auto k = axis<K>(24);

// Random pitches for axes of these counts, with which no two elements share an offset: each is at
// least what all axes of lesser pitches span. The axis of one step may have any.
std::vector<int> nested_pitches(dice& random, std::vector<int> const& counts) {
    std::vector<int> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t n = order.size(); n > 1; --n) {
        std::swap(order[n - 1], order[random.draw_below(static_cast<int>(n))]);
    }
    std::vector<int> pitches(counts.size());
    int span = 1;
    for (int const axis : order) {
        if (counts[axis] <= 1) {
            pitches[axis] = random.draw_below(3 * span);
            continue;
        }
        pitches[axis] = span + (random.one_in(2) ? 0 : random.draw_below(20));
        span += (counts[axis] - 1) * pitches[axis];
    }
    return pitches;
}

// An axis: how many steps it has, how many values of a dimension each step counts, and its pitch.
struct plain_axis {
    int count;
    int stride;
    int pitch;
};
// Checks every position of a tensor. Its offsets are the sums over `axes`, those of I, J and K.
template <class Tensor>
void check(tally& counts, Tensor const& t, std::vector<plain_axis> const (&axes)[3]) {
    auto const offset_along = [&](int base, int value) {
        int offset = 0;
        for (plain_axis const& a : axes[base]) offset += value / a.stride % a.count * a.pitch;
        return offset;
    };
    auto const show = [&] {
        std::string text;
        for (auto const& list : axes) {
            for (plain_axis const& a : list)
                text += listed(std::vector{a.count, a.stride, a.pitch});
        }
        return text;
    };
    for (auto const place : range(t)) {
        I const i = unfold(place.template total<I>());
        J const j = unfold(place.template total<J>());
        K const k = unfold(place.template total<K>());
        int const offset =
            offset_along(0, i.get()) + offset_along(1, j.get()) + offset_along(2, k.get());
        auto const found = position(t, offset);
        counts.check(t[place].offset() == offset, "the offset of a position", show);
        counts.check(found.template total<I>() == i && found.template total<J>() == j &&
                         found.template total<K>() == k,
                     "the position at an offset", show);
    }
}

} // namespace

TEST_CASE("the position at an offset is found for all pitches that nest the axes") {
    tally counts;
    dice random(/*salt=*/7);
    int layouts = 0;
    for (int round = 0; round < rounds(400); ++round) {
        int const height = random.draw_below(20);
        int const width = 1 + random.draw_below(9);
        std::vector<int> const sizes = {height, width, 24};
        auto const p = nested_pitches(random, sizes);
        // Every axis has a late pitch.
        using scattered =
            spio::tensor<char, late_i.pitch(dynamic), k.pitch(dynamic), late_j.pitch(dynamic)>;
        check(
            counts,
            scattered(nullptr, I(height), J(width), pitch<I>(p[0]), pitch<J>(p[1]), pitch<K>(p[2])),
            {{{height, 1, p[0]}}, {{width, 1, p[1]}}, {{24, 1, p[2]}}});
        // The axes to the left of a pitch follow from it, and those to the right of all are dense.
        auto const q = nested_pitches(random, {height, width * 3, 1});
        using blocks =
            spio::tensor<char, late_i.pitch(dynamic), k / 8, late_j.pitch(dynamic), k % 8>;
        check(counts, blocks(nullptr, I(height), J(width), pitch<I>(8 * q[0]), pitch<J>(8 * q[1])),
              {{{height, 1, 8 * q[0]}},
               {{width, 1, 8 * q[1]}},
               {{3, 8, 8 * q[1] * width}, {8, 1, 1}}});
        // Blocks of a late dimension, the last of which need not be full, beside a static pitch: a
        // block of 8 columns has 32 elements of 40, so that the 3 blocks of a position take 120.
        using folded = spio::tensor<char, (late_i / 4).pitch(dynamic), late_j, (k / 8).pitch(40),
                                    k % 8, late_i % 4>;
        int const apart = 120 * width + random.draw_below(30);
        check(counts, folded(nullptr, I(height), J(width), pitch<fold<I, 4>>(apart)),
              {{{5, 4, apart}, {4, 1, 1}}, {{width, 1, 120}}, {{3, 8, 40}, {8, 1, 4}}});
        layouts += 3;
    }
    counts.conclude("inverses: " + std::to_string(layouts) + " layouts, " +
                    std::to_string(counts.tried) + " checks");
}
