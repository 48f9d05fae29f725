// The tensor maps of the kernels that use TMA, planned from the sizes of a tensor and of a tile.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor map is the descriptor by which TMA copies boxes of a tensor; its plan says all but the
// address. A swizzle exchanges cells of 16 bytes within lines of memory, so that lanes read
// different banks. A group is 8 channels. A checked_size is a number that becomes too large, and
// stays so, where an int would overflow.
#pragma once

#include "conv2d/problem.h"
#include "spio/swizzle.h"
#include "spio/tile/tensor_map.h"

namespace spio::conv2d {

// A dense tensor of images, and a tile of it: some images, rows and columns, and the channels of
// some groups.
struct image_sizes {
    int n, h, w, c;
};
struct tile_sizes {
    int images, rows, columns, groups;
};
// The most groups of a tile: their warps and one more fit into a block twice.
inline constexpr int most_groups_of_tile = 15;

// The numbers of groups of a tile that TMA and ldmatrix both take well: the swizzle of TMA spans 2,
// 4 or 8 groups, and of an odd number of groups, eight neighbouring pixels lie in different banks
// without it.
constexpr bool is_tile_of_groups(int groups) {
    return groups % 2 == 1 ? groups <= most_groups_of_tile : groups <= 8 && is_power_of_two(groups);
}

// Whether tiles with all of so many groups are rather copied row by row, as one piece of memory
// each. The pixels of an odd number of groups do not begin at sectors of 32 bytes; TMA boxes of
// these, and of two groups, take up to twice as long.
constexpr bool has_slow_boxes(int groups) { return groups % 2 == 1 || groups == 2; }

// Where the channels of a pixel do not fill whole cache lines of 128 bytes, neighbouring blocks
// read the same lines; the L2 cache then fetches whole lines. 0 stands for the driver's default.
constexpr int l2_fetch_bytes(problem const& problem) { return problem.c % 64 == 0 ? 0 : 128; }

// The tensor map by which TMA copies such tiles. The swizzle spans the channels of a tile; those of
// an odd number of groups need none. The L2 cache fetches `l2_fetch_bytes` at a time; 0 stands
// for the driver's default.
constexpr tensor_map_plan plan_of(image_sizes const& image, tile_sizes const& tile,
                                  int l2_fetch_bytes = 0) {
    auto const pixel_bytes = checked_size(image.c) * 2;
    auto const row_bytes = pixel_bytes * image.w;
    return {.rank = 4,
            .element_bytes = 2,
            .sizes = {image.c, image.w, image.h, image.n},
            .strides = {2, pixel_bytes.value, row_bytes.value, (row_bytes * image.h).value},
            .box = {group_width * tile.groups, tile.columns, tile.rows, tile.images},
            .swizzle = tile.groups % 2 == 1 ? 0 : 16 * tile.groups,
            .fetched = l2_fetch_bytes};
}

// The last axis of such a tile in shared memory: cells of 8 channels, swizzled as TMA does.
// `Pixels` are the axes that choose the order of the cells: rows and columns of the tile, or only
// its columns if their number is a multiple of 8, because all rows then have the same order.
template <auto Channels, auto... Pixels> consteval auto swizzled_cells() {
    constexpr int groups = Channels.size / group_width;
    if constexpr (groups % 2 == 1) {
        return Channels / 8;
    } else if constexpr (sizeof...(Pixels) == 2) {
        return swizzle(Channels / 8, Pixels...);
    } else if constexpr (groups == 8) {
        return swizzle(Channels / 8, Pixels % 8 ...);
    } else {
        return swizzle(Channels / 8, Pixels / (8 / groups) % groups...);
    }
}

// The same of a tile that may be copied row by row: its cells then lie as in memory.
template <bool CopiesRows, auto Channels, auto... Pixels> consteval auto cells_of_tile() {
    if constexpr (CopiesRows) {
        return Channels / 8;
    } else {
        return swizzled_cells<Channels, Pixels...>();
    }
}

} // namespace spio::conv2d
