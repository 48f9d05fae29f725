// The weight gradient box by box: how blocks share it, for chips from sm_90 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"
#include "spio/tile/tensor_map.h"

namespace spio::conv2d::wgrad_tma {

// A warp has a group, and one more speaks to the engine, which brings a row of x and one of y at a
// time: of some images, in a strip of their columns, some rows ahead. Small images come as a whole,
// so that all that is done with them is known beforehand.
struct config {
    int groups;        // 1, 2, 4 or 8
    int images;        // of a row
    int columns;       // of y of each: 8, so that a tile has two images, or some tiles of 16
    int stages;        // rows in shared memory, with those that are kept
    int splits;        // in which the rows of all images are summed
    bool whole_images; // a step has all rows of its images

    // What was read may still be on its way to registers while the next step begins: its stage is
    // given back a step later. A row that meets another one is read once more in the next step.
    constexpr int stages_kept(problem const& of) const {
        return !whole_images && wgrad::meets_two_rows(of) ? 2 : 1;
    }

    // Whole lines of the engine's swizzle.
    constexpr int columns_read(problem const& of) const { return room_for(columns + of.s - 1); }
    constexpr int rows_read(problem const& of) const {
        return whole_images ? wgrad::rows_seen(of) : 1;
    }
    constexpr int rows_of_dy(problem const& of) const { return whole_images ? of.p() : 1; }
    constexpr int cells_read(problem const& of) const {
        return images * rows_read(of) * columns_read(of) * groups;
    }
    constexpr int cells_of_dy(problem const& of) const {
        return images * rows_of_dy(of) * columns * groups;
    }
    constexpr int tiles() const { return images * columns / 16; }

    constexpr int threads(problem const&) const { return 32 * (groups + 1); }
    constexpr int shared_bytes(problem const& of) const {
        int const x = divup(stages * cells_read(of), 64) * 64;
        int const dy = divup(stages * cells_of_dy(of), 64) * 64;
        return 16 * (x + dy + divup(stages, 2) + divup(stages + 1, 2));
    }
    constexpr bool fits(problem const& of) const {
        bool const positive =
            groups > 0 && images > 0 && columns > 0 && stages > stages_kept(of) && splits > 0;
        if (!positive || of.pass != direction::wgrad) return false;
        bool const is_small = of.q() <= columns && max(rows_read(of), of.p()) <= 256;
        if (whole_images && !(of.knows_image() && is_small)) return false;
        if (1LL * stages * (cells_read(of) + cells_of_dy(of)) >= 1 << 24) return false;
        bool const is_even = columns % 16 == 0 || (columns == 8 && images % 2 == 0);
        return is_even && groups <= 8 && is_power_of_two(groups) && images <= 256 &&
               columns_read(of) <= 256 && shared_bytes(of) <= 227 * 1024;
    }
    constexpr long long blocks_of(problem const& of) const {
        return 1LL * splits * wgrad::slices(of, groups);
    }
    constexpr long long workspace_bytes(problem const& of) const {
        return wgrad::workspace_bytes(of, groups, splits);
    }
};

// What the driver makes the maps from, all sizes known. Where pixels are no whole cache lines, two
// blocks share one: the first brings all of it.
constexpr tensor_map_plan plan_of(int n, int h, int w, int c, int images, int rows, int columns,
                                  int groups) {
    return {.rank = 4,
            .element_bytes = 2,
            .sizes = {c, w, h, n},
            .strides = {2, 2LL * c, 2LL * c * w, 2LL * c * w * h},
            .box = {8 * groups, columns, rows, images},
            .swizzle = groups == 1 ? 0 : 16 * groups,
            .fetched = 2 * c % 128 == 0 ? 0 : 128};
}
constexpr tensor_map_plan plan_of_x(problem const& of, config const& by) {
    return plan_of(of.n, of.h, of.w, of.c, by.images, by.rows_read(of), by.columns_read(of),
                   by.groups);
}
constexpr tensor_map_plan plan_of_dy(problem const& of, config const& by) {
    return plan_of(of.n, of.p(), of.q(), of.c, by.images, by.rows_of_dy(of), by.columns, by.groups);
}

// The sizes are those of x.
struct params {
    tensor_map_words x;
    tensor_map_words dy;
    vec<float, 4>* workspace;
    int n, h, w;
};

} // namespace spio::conv2d::wgrad_tma
