// wgrad by cp.async: how blocks share a problem, for chips from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"

namespace spio::conv2d::wgrad_cp_async {

// A warp has a group. All threads of a block copy the next row of x and of dy, of some images and
// in a strip of their columns, some rows ahead.
struct config {
    int groups;
    int images;  // of a row
    int columns; // of dy of each: 8, so that 16 columns are of two images, or a multiple of 16
    int stages;  // rows in shared memory, with those in flight
    int splits;  // of the rows of all images, with a partial sum each
    int blocks;  // that an SM should hold

    // An odd number of 16-byte cells a column puts eight neighbouring columns into different banks.
    constexpr int pitch() const { return groups | 1; }
    constexpr int input_columns(problem const& problem) const {
        return columns_of(problem).size(columns);
    }
    constexpr int tiles() const { return images * columns / 16; }

    constexpr int threads(problem const&) const { return 32 * groups; }
    constexpr int shared_bytes(problem const& problem) const {
        return 16 * stages * images * (input_columns(problem) + columns) * pitch();
    }
    constexpr bool fits(problem const& problem) const {
        bool const is_positive =
            groups > 0 && images > 0 && columns > 0 && stages > 1 && splits > 0 && blocks >= 0;
        if (!is_positive || problem.pass != direction::wgrad) return false;
        bool const has_tiles = columns % 16 == 0 || (columns == 8 && images % 2 == 0);
        return has_tiles && groups <= 32 && shared_bytes(problem) <= most_shared_bytes;
    }
    constexpr long long blocks_of(problem const& problem) const {
        return wgrad::blocks_of(problem, groups, splits);
    }
    constexpr long long workspace_bytes(problem const& problem) const {
        return wgrad::workspace_bytes(problem, groups, splits);
    }
};

// The sizes are those of x.
struct params {
    half const* x;
    half const* dy;
    vec<float, 4>* workspace;
    int n, h, w;
};

} // namespace spio::conv2d::wgrad_cp_async
