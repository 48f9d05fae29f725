// Convolution row by row: how a block and its warps share it, for chips from sm_80 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"

namespace spio::conv2d::cp_async {

// A block makes some rows of some images, over some columns and groups; it reads a row after the
// other, each once, while the next ones are on their way. A warp has one group and some tiles of 16
// columns, and holds as many rows of sums as the filter has rows: each row read adds to all of
// them.
struct config {
    int groups;
    int images;
    int columns; // made of each image: 8, so that a tile has two images, or some tiles of 16
    int rows;    // made, one after the other
    int tiles;   // of a warp
    int stages;  // rows read that have a place in shared memory
    int blocks;  // that a processor should hold
    bool unrolled = false; // over the filter's rows: fewer instructions, and a longer text

    constexpr int columns_of_all() const { return images * columns; }
    constexpr int warps() const { return groups * (columns_of_all() / (16 * tiles)); }
    constexpr int threads(problem const&) const { return 32 * warps(); }

    // Eight neighbours of a column of 16-byte cells lie in different banks if there is an odd
    // number of cells to a column.
    constexpr int pitch() const { return groups | 1; }
    constexpr int columns_read(problem const& of) const { return columns + of.s - 1; }
    constexpr int cells_read(problem const& of) const {
        return images * columns_read(of) * pitch();
    }
    constexpr int cells_made() const { return columns_of_all() * pitch(); }
    constexpr int shared_bytes(problem const& of) const {
        return 16 * (stages * cells_read(of) + 2 * cells_made());
    }

    // Whole tiles go to each warp, and a warp's tiles are neighbours, or of whole images.
    constexpr bool fits(problem const& of) const {
        bool const positive =
            groups > 0 && images > 0 && columns > 0 && rows > 0 && tiles > 0 && blocks >= 0;
        if (!positive || of.pass == direction::wgrad) return false;
        int const of_warp = 16 * tiles;
        bool const whole =
            columns == 8 ? columns_of_all() % of_warp == 0
                         : columns % of_warp == 0 || (of_warp % columns == 0 && columns % 16 == 0 &&
                                                      columns_of_all() % of_warp == 0);
        return whole && stages >= 2 && warps() <= 32 && groups <= of.groups();
    }

    constexpr long long blocks_of(problem const& of) const {
        correlation const correlation = correlation_of(of);
        return 1LL * divup(of.n, images) * divup(correlation.p, rows) *
               divup(correlation.q, columns) * divup(of.groups(), groups);
    }
};

struct params {
    correlation_args args;
};

} // namespace spio::conv2d::cp_async
