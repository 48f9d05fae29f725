// The weight gradient: which taps are summed together, and the sums that wait to be added up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/vector.h"

namespace spio::conv2d::wgrad {

// A split of the rows of all images, of which there is a sum; two taps that are summed together.
struct SPLIT : dim {
    using dim::dim;
};
struct PAIR : dim {
    using dim::dim;
};

// What half of a pair is the gradient of: a tap, the bias, or nothing.
enum class kind { tap, bias, nothing };
struct half_of_pair {
    kind is = kind::nothing;
    int r = 0;
    int s = 0;
};

// Two taps make one product of 16 x 8 x 16: the channels of x under the one stand above those under
// the other. Neighbours in a row of the filter are paired, and where rows are odd, those that are
// left over in the last column: the last of them stands below the bias, whose gradient is the
// product of ones.
struct tap_pairs {
    int r;
    int s;
    bool bias;

    constexpr int of_row() const { return s / 2; }
    constexpr int first_of_column() const { return r * of_row(); }
    constexpr int of_column() const { return s % 2 == 1 ? divup(r, 2) : 0; }
    constexpr bool is_odd() const { return r % 2 == 1 && s % 2 == 1; }
    constexpr bool has_bias_alone() const { return bias && !is_odd(); }
    constexpr int last() const { return first_of_column() + of_column(); }
    constexpr int count() const { return last() + (has_bias_alone() ? 1 : 0); }

    constexpr half_of_pair at(int pair, int half) const {
        if (pair < first_of_column()) {
            return {kind::tap, pair / of_row(), 2 * (pair % of_row()) + half};
        }
        int const row = 2 * (pair - first_of_column());
        bool const is_single = row == r - 1;
        if (pair < last() && (half == 1 || !is_single)) {
            return {kind::tap, is_single ? row : row + half, s - 1};
        }
        return {bias && half == 0 ? kind::bias : kind::nothing};
    }
};
constexpr tap_pairs pairs_of(problem const& of) { return {of.r, of.s, of.bias}; }

// Whether two rows of x meet a row of y at a time: those under two taps of the last column.
constexpr bool meets_two_rows(problem const& of) { return of.s % 2 == 1 && of.r > 1; }
// Where both are read together: whether the row above an image must be seen, as zeros.
constexpr bool meets_row_above(problem const& of) { return meets_two_rows(of) && of.pad_h > 0; }
// Whether the row below an image must be seen, as zeros: the last row of x may have been left over
// for it. The rows of y that meet both are those of odd r.
constexpr bool meets_row_below(problem const& of) {
    if (of.s % 2 == 0) return false;
    for (int r = 1; r < of.r; r += 2) {
        if (r >= of.r - of.pad_h) return true;
    }
    return false;
}

// The rows of an image, with those beside it that must be seen.
constexpr int rows_seen(problem const& of) {
    return of.h + (meets_row_above(of) ? 1 : 0) + (meets_row_below(of) ? 1 : 0);
}

// Blocks have a slice of the groups each, and of its rows a split. What a lane has of a sum is one
// element of the workspace.
constexpr int slices(problem const& of, int groups) { return divup(of.groups(), groups); }
constexpr long long workspace_bytes(problem const& of, int groups, int splits) {
    return 16LL * 32 * splits * slices(of, groups) * groups * pairs_of(of).count();
}

} // namespace spio::conv2d::wgrad
