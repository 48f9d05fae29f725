// Convolution box by box: how a block shares it with the copy engine, for chips from sm_90 on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/tensor_map.h"

namespace spio::conv2d::tma {

// A strip is some rows of some columns of an image, or of several. A block makes one strip after
// the other in some groups, a warp to each, which makes tiles of 16 columns of a row at a time. All
// that they read is asked of the engine at once, in a box for each image; what a warp makes of a
// row lies where rows were that it has read. Small blocks in the order of memory make the fastest
// walk: those that are there at one time touch one narrow part of it.
struct config {
    int groups;  // 1, 2, 4 or 8
    int images;  // of a strip
    int columns; // made of each: 8, so that a tile has two images, or some tiles of 16
    int rows;    // made of them
    int strips;
    int blocks; // that a processor should hold

    // Whether a strip has all rows of its images: then those beside them, zeros, do not come. What
    // is made must still find room where rows were read, and each row behind those that are read
    // later.
    constexpr bool has_all_rows(problem const& of) const {
        correlation const correlation = correlation_of(of);
        return of.knows_image() && correlation.p <= rows && correlation.pad_h >= 0 &&
               correlation.pad_h < of.r && rows * columns <= correlation.h * columns_read(of);
    }
    constexpr int rows_read(problem const& of) const {
        return has_all_rows(of) ? correlation_of(of).h : rows + of.r - 1;
    }
    constexpr int columns_read(problem const& of) const { return columns + of.s - 1; }
    constexpr int tiles() const { return images * columns / 16; }
    constexpr int threads(problem const&) const { return 32 * groups; }

    // Cells of 16 bytes: boxes begin where the engine's swizzle starts anew.
    constexpr int cells_of_box(problem const& of) const {
        return rows_read(of) * columns_read(of) * groups;
    }
    constexpr int cells_between_boxes(problem const& of) const {
        return divup(cells_of_box(of), 64) * 64;
    }
    constexpr int cells_of_filter(problem const& of) const { return 8 * groups * of.taps(); }
    constexpr int shared_bytes(problem const& of) const {
        return 16 * (strips * images * cells_between_boxes(of) + cells_of_filter(of)) +
               8 * (strips + 1);
    }

    constexpr bool fits(problem const& of) const {
        bool const positive =
            groups >= 1 && images >= 1 && columns >= 1 && rows >= 1 && strips >= 1;
        bool const has_tiles = columns % 16 == 0 || (columns == 8 && images % 2 == 0);
        if (!positive || !has_tiles || rows > 256 || columns > 256 || groups > 8) return false;
        // Sums and filter are in registers, and the bytes of a block are an int.
        bool const has_registers = 4 * of.r * tiles() + of.taps() <= 208;
        long long const cells = 1LL * strips * images * cells_between_boxes(of);
        return of.pass != direction::wgrad && is_power_of_two(groups) && groups <= of.groups() &&
               rows_read(of) <= 256 && columns_read(of) <= 256 && has_registers &&
               cells < 1 << 24 && blocks >= 0;
    }

    constexpr long long strips_of(problem const& of) const {
        correlation const correlation = correlation_of(of);
        return 1LL * divup(of.n, images) * divup(correlation.p, rows) *
               divup(correlation.q, columns);
    }
    constexpr long long blocks_of(problem const& of) const {
        return divup(of.groups(), groups) * ((strips_of(of) + strips - 1) / strips);
    }
};

// What the driver makes the maps from, of what is read and what is made, all sizes known.
constexpr tensor_map_plan plan_of(int n, int h, int w, int c, int rows, int columns, int groups) {
    return {.rank = 4,
            .element_bytes = 2,
            .sizes = {c, w, h, n},
            .strides = {2, 2LL * c, 2LL * c * w, 2LL * c * w * h},
            .box = {8 * groups, columns, rows, 1},
            .swizzle = groups == 1 ? 0 : 16 * groups};
}
constexpr tensor_map_plan input_plan(problem const& of, config const& by) {
    correlation const correlation = correlation_of(of);
    return plan_of(of.n, correlation.h, correlation.w, of.c, by.rows_read(of), by.columns_read(of),
                   by.groups);
}
constexpr tensor_map_plan output_plan(problem const& of, config const& by) {
    correlation const correlation = correlation_of(of);
    return plan_of(of.n, correlation.p, correlation.q, of.c, by.rows, by.columns, by.groups);
}

// The maps are of the same tensors as the arguments.
struct params {
    tensor_map_words input;
    tensor_map_words output;
    correlation_args args;
};

} // namespace spio::conv2d::tma
