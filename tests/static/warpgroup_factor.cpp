// Tiles as factors of warpgroups: where descriptors place each cell, against the tiles' layouts.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis is a function of several positions, such as a
// swizzle.
#include "spio/tile/warpgroup_factor.h"

import spio.dims;

struct M : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct STAGE : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::read_by_warpgroups;
using spio::swizzle;
using spio::tensor;
using spio::warpgroup_factor;
using cell = spio::vec<unsigned short, 8>;

// The byte at which a descriptor places a cell of the tile, as the instruction finds it: lines
// in groups of 8, and cells of 16 bytes exchanged by the number of their 128 bytes. A matrix
// descriptor has distances in units of 16 bytes: from bit 16 on that of blocks side by side, from
// bit 32 on that of groups of lines; its last two bits say how long a swizzled line is.
template <class Factor> constexpr int byte_of(int outer, int k) {
    auto const field = [](int first_bit) {
        return static_cast<int>(Factor::descriptor() >> first_bit & 0x3fff) * 16;
    };
    int const line_bytes = 256 >> static_cast<int>(Factor::descriptor() >> 62);
    int const step = k / 16 * Factor::step_bytes();
    int const column = Factor::is_transposed ? outer % (line_bytes / 2) : k % 16;
    int const line = Factor::is_transposed ? k % 16 : outer;
    int const chunk = Factor::is_transposed ? outer / (line_bytes / 2) : 0;
    int const byte =
        step + chunk * field(16) + line / 8 * field(32) + line % 8 * line_bytes + column / 8 * 16;
    return byte ^ byte / 128 % (line_bytes / 16) * 16;
}
// Whether the hardware's addresses of a tile's elements are those of its layout. `depth` is the
// tile's size along K, `outer_size` along M.
template <class Tile> constexpr bool agrees(int outer_size, int depth) {
    using factor = warpgroup_factor<typename Tile::layout_type, M>;
    if (!factor::is_possible || factor::depth() != depth || factor::outer_size() != outer_size)
        return false;
    for (int m = 0; m < outer_size; m += factor::is_transposed ? 8 : 1) {
        for (int k = 0; k < depth; k += factor::is_transposed ? 1 : 8) {
            auto const offset = Tile()[M(m)][K(k)].offset();
            if (byte_of<factor>(m, k) != 16 * static_cast<int>(offset)) return false;
        }
    }
    return outer_size <= 64 ||
           factor::block_bytes() == 16 * static_cast<int>(Tile()[M(64)][K(0)].offset());
}

constexpr axis<M> m(64);
constexpr axis<K> k64(64), k32(32), k16(16);
static_assert(agrees<tensor<cell, m, swizzle(k64 / 8, m % 8)>>(64, 64));
constexpr axis<M> m192(192);
static_assert(agrees<tensor<cell, m192, swizzle(k64 / 8, m192 % 8)>>(192, 64));
static_assert(agrees<tensor<cell, m192 / 64, k64, swizzle(m192 % 64 / 8, k64 % 8)>>(192, 64));
static_assert(agrees<tensor<cell, m192 / 32, k64, swizzle(m192 % 32 / 8, k64 / 2 % 4)>>(192, 64));
static_assert(agrees<tensor<cell, m, swizzle(k32 / 8, m / 2 % 4)>>(64, 32));
static_assert(agrees<tensor<cell, m, swizzle(k16 / 8, m / 4 % 2)>>(64, 16));
static_assert(agrees<tensor<cell, m / 16, m % 16, swizzle(k64 / 8, m % 8)>>(64, 64));
static_assert(agrees<tensor<cell, m / 64, k32, swizzle(m % 64 / 8, k32 % 8)>>(64, 32));
static_assert(agrees<tensor<cell, m / 32, k32, swizzle(m % 32 / 8, k32 / 2 % 4)>>(64, 32));
static_assert(agrees<tensor<cell, m / 16, k16, swizzle(m % 16 / 8, k16 / 4 % 2)>>(64, 16));

// A ring of tiles is read as each of them is.
constexpr axis<STAGE> stage(3);
static_assert(agrees<tensor<cell, stage, m, swizzle(k64 / 8, m % 8)>>(64, 64));

// No swizzle, that of other lines, lines with gaps, and a depth that is not a multiple of 16.
template <class Tile> constexpr bool is_read = read_by_warpgroups<typename Tile::layout_type, M>;
static_assert(!is_read<tensor<cell, m, k64 / 8>>);
static_assert(!is_read<tensor<cell, m, swizzle(k64 / 8, m / 2 % 8)>>);
static_assert(!is_read<tensor<cell, m.pitch(9), swizzle(k64 / 8, axis<M>(64) % 8)>>);
static_assert(!is_read<tensor<cell, k64 / 8, m>>);
static_assert(!is_read<tensor<cell, m / 64, axis<K>(24), swizzle(m % 64 / 8, axis<K>(24) % 8)>>);
