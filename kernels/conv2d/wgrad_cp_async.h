// The weight gradient row by row: how blocks share it, for chips from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"

namespace spio::conv2d::wgrad_cp_async {

// A warp has a group. All threads of a block copy the next row of x and of y: of some images, in a
// strip of their columns, some rows ahead.
struct config {
    int groups;
    int images;  // of a row
    int columns; // of y of each: 8, so that a tile has two images, or some tiles of 16
    int stages;  // rows in shared memory, but for the one that is on its way
    int splits;  // in which the rows of all images are summed
    int blocks;  // that a processor should hold

    // Eight neighbours of a column of 16-byte cells lie in different banks if there is an odd
    // number of cells to a column.
    constexpr int pitch() const { return groups | 1; }
    constexpr int columns_read(problem const& of) const { return columns + of.s - 1; }
    constexpr int tiles() const { return images * columns / 16; }

    constexpr int threads(problem const&) const { return 32 * groups; }
    constexpr int shared_bytes(problem const& of) const {
        return 16 * stages * images * (columns_read(of) + columns) * pitch();
    }
    constexpr bool fits(problem const& of) const {
        bool const positive =
            groups > 0 && images > 0 && columns > 0 && stages > 1 && splits > 0 && blocks >= 0;
        if (!positive || of.pass != direction::wgrad) return false;
        bool const is_even = columns % 16 == 0 || (columns == 8 && images % 2 == 0);
        return is_even && groups <= 32 && shared_bytes(of) <= 227 * 1024;
    }
    constexpr long long blocks_of(problem const& of) const {
        return 1LL * splits * wgrad::slices(of, groups);
    }
    constexpr long long workspace_bytes(problem const& of) const {
        return wgrad::workspace_bytes(of, groups, splits);
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
