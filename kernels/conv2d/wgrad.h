// The weight gradient: pairs of taps that one product sums, and partial sums of splits.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter from the input x and dy, the gradient of the output y.
// A tap is an element of the filter's window; channels are in groups of 8. A slice is the channels
// of some groups, which a block takes. has_static_layer() says whether the channels and the padding
// are known when a kernel is compiled. A checked_size is a number that becomes too large, and stays
// so, where an int would overflow.
#pragma once

#include "conv2d/halo.h"
#include "conv2d/resources.h"
#include "spio/tile/vector.h"

namespace spio::conv2d::wgrad {

// The rows of all images are cut into splits, each with a partial sum. One matrix product of
// 16 x 8 x 16 computes the gradients of two taps; these two taps are a pair.
struct SPLIT : dim {
    using dim::dim;
};
struct PAIR : dim {
    using dim::dim;
};

// What one half of a pair computes: the gradient of a tap, the gradient of the bias, or nothing.
enum class kind { tap, bias, nothing };
struct half_of_pair {
    kind contents = kind::nothing;
    int r = 0;
    int s = 0;
};

// The left operand of that product has 16 rows: rows 0 to 7 are the 8 channels of x under the
// first tap of a pair, rows 8 to 15 those under the second. Neighbouring taps of a filter row are
// paired. Where rows have an odd number of taps, the taps of the last column are paired with each
// other. If one of these is left over, it is the second half of its pair; the first half then
// computes the gradient of the bias, with ones in place of x, or nothing if there is no bias.
struct tap_pairs {
    int r;
    int s;
    bool bias;

    // Pairs of neighbours in each filter row, and pairs in the last column, which follow all these.
    constexpr int row_pairs() const { return s / 2; }
    constexpr int first_column_pair() const { return r * row_pairs(); }
    constexpr int column_pairs() const { return s % 2 == 1 ? divup(r, 2) : 0; }
    // Whether a tap of the last column is left over, and whether the bias needs a pair of its own.
    constexpr bool is_odd() const { return r % 2 == 1 && s % 2 == 1; }
    constexpr bool has_unpaired_bias() const { return bias && !is_odd(); }
    // The number of pairs that have a tap, and of all pairs.
    constexpr int tap_count() const { return first_column_pair() + column_pairs(); }
    constexpr int count() const { return tap_count() + (has_unpaired_bias() ? 1 : 0); }

    // What half 0 or 1 of a pair computes.
    constexpr half_of_pair operator()(int pair, int half) const {
        if (pair < first_column_pair()) {
            return {kind::tap, pair / row_pairs(), 2 * (pair % row_pairs()) + half};
        }
        int const row = 2 * (pair - first_column_pair());
        bool const is_single = row == r - 1;
        if (pair < tap_count() && (half == 1 || !is_single)) {
            return {kind::tap, is_single ? row : row + half, s - 1};
        }
        return {bias && half == 0 ? kind::bias : kind::nothing};
    }
};
constexpr tap_pairs pairs_of(problem const& problem) {
    return {problem.r, problem.s, problem.bias};
}

// Whether one product multiplies a row of dy with two rows of x, because it has two taps of the
// last column of the filter.
constexpr bool pairs_rows(problem const& problem) { return problem.s % 2 == 1 && problem.r > 1; }
// Whether a step of whole images needs the row above them, as zeros, because a pair of rows begins
// with it.
constexpr bool needs_row_above(problem const& problem) {
    return pairs_rows(problem) && (problem.pad_h > 0 || !problem.has_static_layer());
}
// Whether a row below the image is needed, as zeros. The taps (r - 1, s - 1) and (r, s - 1), for
// odd r, are one product; it needs two rows of x and runs when the lower of them is loaded. If the
// upper one is the last row of the image on a walk, a row of zeros must follow.
constexpr bool needs_row_below(problem const& problem) {
    if (problem.s % 2 == 0) return false;
    for (int r = 1; r < problem.r; r += 2) {
        bool const meets_padding = problem.dilation_h * r >= problem.extent_h() - problem.pad_h;
        if (meets_padding || !problem.has_static_layer()) return true;
    }
    return false;
}
// The sizes that a launch passes: n, h and w of x. The others are read only by kernels that serve
// any layer.
struct passed_sizes {
    int n, h, w;
    int c = 0, pad_h = 0, pad_w = 0;
};
constexpr passed_sizes sizes_passed(problem const& problem) {
    return {problem.n, problem.h, problem.w, problem.c, problem.pad_h, problem.pad_w};
}

// Whether a number of splits may be that of a configuration. A kernel that serves any layer takes
// them from the launch, and its configuration has 0.
constexpr bool has_splits(problem const& problem, int splits) {
    return splits > 0 || (splits == 0 && !problem.has_static_layer());
}
// The first row of a split, of `count` rows of dy in strips of `rows` rows: of some columns of some
// images each. Splits have equally many rows, up to one. But where they are long, their ends move
// by up to half of `least` rows or half a strip, so that each has none, all, or at least `least` of
// the rows of a strip: a span of fewer rows than read one row of x takes longer, since its steps
// are not compiled separately.
constexpr int first_row_of_split(long long count, int rows, int split, int splits, int least) {
    int const first = static_cast<int>(count * split / splits);
    if (count < 2LL * least * splits) return first;
    int const row = first % rows; // of its strip
    int const begin = first - row, rows_left = rows - row;
    if (rows < 2 * least) return begin + (row < rows_left ? 0 : rows);
    if (row < least) return begin + (2 * row < least ? 0 : least);
    if (rows_left < least) return begin + rows - (2 * rows_left < least ? 0 : least);
    return first;
}
// Whether each block has all rows of its slice. It then stores the gradients itself, and there is
// no second kernel.
constexpr bool has_one_split(problem const& problem, int splits) {
    return splits == 1 && problem.has_static_layer();
}
// The number of rows of an image, including the rows of the padding that are needed.
constexpr int needed_rows(problem const& problem) {
    return (checked_size(problem.h) + (needs_row_above(problem) ? 1 : 0) +
            (needs_row_below(problem) ? 1 : 0))
        .as_int();
}

// The groups are cut into slices of `groups` groups, and a block sums one slice over one split of
// the rows. An element of the workspace is a lane's part of one accumulator: four floats, 16 bytes.
constexpr int slices(problem const& problem, int groups) {
    return divup(checked_size(problem.groups()), groups).as_int();
}
// The blocks of a launch, and the bytes that they write for the reduction.
constexpr long long blocks_of(problem const& problem, int groups, int splits) {
    return (checked_size(splits) * slices(problem, groups)).value;
}
constexpr long long workspace_bytes(problem const& problem, int groups, int splits) {
    return (checked_size(16 * 32) * splits * slices(problem, groups) * groups *
            pairs_of(problem).count())
        .value;
}

} // namespace spio::conv2d::wgrad
