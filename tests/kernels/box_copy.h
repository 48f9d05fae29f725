// Boxes of images, loaded and stored by TMA: dimensions, tiles, and the kernels' parameters.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A compound index is one number for several
// indices, the last of which varies fastest. A swizzle exchanges cells by their row, so that lanes
// read different banks. A tensor map is the descriptor by which TMA copies boxes of a tensor.
#pragma once

#include "spio/compound_index.h"
#include "spio/swizzle.h"
#include "spio/tile/tensor_map.h"

namespace spio::test::box_copy {

struct N : dim {
    using dim::dim;
};
struct H : dim {
    using dim::dim;
};
struct W : dim {
    using dim::dim;
};
struct C : dim {
    using dim::dim;
};
struct STAGE : dim {
    using dim::dim;
};

// 8 channels of 16 bits.
using cell = vec<unsigned short, 8>;

// A tile has 4 x 8 pixels; rows of 32, 64 or 128 bytes are swizzled, or rows of 64 bytes are not.
template <int Span> inline constexpr int channels = Span == 0 ? 32 : Span / 2;
template <int Span> inline constexpr auto c = axis<C>(channels<Span>);
inline constexpr auto tile_h = axis<H>(4);
inline constexpr auto tile_w = axis<W>(8);
// The axis of a pixel's cells, swizzled with this span in bytes; not if it is 0.
template <int Span> consteval auto cells_of_pixel() {
    if constexpr (Span == 0) {
        return c<Span> / 8;
    } else {
        return swizzle(c<Span> / 8, tile_w / (128 / Span) % (Span / 16));
    }
}
template <int Span> using tile = tensor<cell, tile_h, tile_w, cells_of_pixel<Span>()>;

// Images of 13 x 11 pixels, and the tiles that cover them with a border of one pixel before them
// and some beyond.
inline constexpr auto n = axis<N>(dynamic);
inline constexpr auto h = axis<H>(13);
inline constexpr auto w = axis<W>(11);
inline constexpr auto covered_h = axis<H>(16);
inline constexpr auto covered_w = axis<W>(24);
constexpr auto origin() { return make_coordinates(H(-1), W(-1)); }
template <int Span> using images = tensor<cell, n, h, w, c<Span> / 8>;
template <int Span> using covered = tensor<cell, n, covered_h, covered_w, c<Span> / 8>;
using Tile = compound_index<covered_h / 4, covered_w / 8>;

template <int Span> using map = tensor_map<tile<Span>, images<Span>>;
inline constexpr int stages = 3;
template <int Span>
using stage_tiles = tensor<cell, axis<STAGE>(stages), tile_h, tile_w, cells_of_pixel<Span>()>;

// Each block has an image. Its tiles are loaded from boxes of x and copied to y, with zeros where
// there is no image. With their signs flipped they are stored to boxes of z, which has the size of
// x, one pixel further on, since no store begins before its tensor.
template <int Span> struct params {
    map<Span> x;
    map<Span> z;
    cell* y;
    int images;
};
// The tiles, then the barriers of stages that are full and of those that are empty, 8 bytes each,
// and room to align them.
template <int Span>
inline constexpr int shared_bytes =
    static_cast<int>(stage_tiles<Span>::num_bytes()) + 2 * 8 * stages + 16;

// A row of elements, copied to shared memory and back without a tensor map.
inline constexpr auto bulk = axis<C>(1024);
struct bulk_params {
    cell const* x;
    cell* y;
};
inline constexpr int bulk_shared_bytes = 2 * bulk.size + 16; // and a barrier behind the row

} // namespace spio::test::box_copy
