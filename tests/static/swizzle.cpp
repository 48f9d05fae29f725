// Swizzles: the checkerboard of the reference, and rows exchanged by exclusive or.
// SPDX-License-Identifier: Apache-2.0
//
// A dimension, such as I, is an integer type that says what it counts; fold<K, 8>, often K8, counts
// K in blocks of 8. axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks
// of 8 and the positions in one. A derived axis is a function of several positions, such as a
// swizzle. A compound index is one number for several indices, the last of which varies fastest.
//
// A checkerboard orders cells that come in pairs, of color 0 and color 1, side by side. Memory is
// divided into rows of `ranks` cells, and every second row exchanges the cells of each pair, so
// that `ranks` consecutive cells of one color lie at different places in their rows.
//
// Names in parentheses are requirements of tests/house/conformance.txt, which the lines test.
import spio.dims;

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
using spio::axis;
using spio::checkerboard;
using spio::checkerboard_order;
using spio::fold;
using spio::make_coordinates;
using spio::swizzle;
using K8 = fold<K, 8>;

// What tensors point to; only addresses in it matter.
constexpr char memory[4096] = {};
// A tensor of bytes, so that offsets in it count bytes.
template <auto... Axes> using chars = spio::tensor<char const, Axes...>;
// How far the element lies from the first, in bytes.
template <class Cursor> constexpr long long offset_of(Cursor c) { return c.get() - memory; }
// The offset of a pair and a color, by the formula of the reference.
constexpr int checker(int pair, int color) { return (2 * pair | color) ^ (pair / 4 & 1); }

constexpr checkerboard_order order{8};

// Each offset of a checkerboard is that of a pair and a color. (CheckerboardIndex.indices,
// IndexSpec.checkerboard_fused_dim)
constexpr bool offsets_are_pairs_and_colors() {
    for (int offset = 0; offset < 256; ++offset) {
        if (order.pair(offset) != offset / 2) return false;
        if (order.color(offset) != ((offset % 2) ^ (offset / 8 % 2))) return false;
        if (order.offset(order.pair(offset), order.color(offset)) != offset) return false;
    }
    return true;
}
static_assert(offsets_are_pairs_and_colors());

// pair() and color() invert offset(), for any number of ranks. (CheckerboardIndex.offsets)
template <int Ranks> constexpr bool is_invertible() {
    checkerboard_order const ranked{Ranks};
    for (int pair = -128; pair < 128; ++pair) {
        for (int color = 0; color < 2; ++color) {
            int const offset = ranked.offset(pair, color);
            if (ranked.pair(offset) != pair || ranked.color(offset) != color) return false;
        }
    }
    return true;
}
static_assert(is_invertible<8>() && is_invertible<4>() && is_invertible<16>() &&
              is_invertible<2>());
static_assert(order.offset(0, 0) == 0 && order.offset(3, 0) == 6 && order.offset(4, 0) == 9);
static_assert(order.offset(7, 0) == 15 && order.offset(0, 1) == 1 && order.offset(4, 1) == 8);

// An offset may be given as a dimension or in blocks. (CheckerboardFromDim.plain_offset_dim,
// fold_of_offset_dim)
static_assert(order.pair(spio::OFFSET(13).get()) == 6 && order.color(13) == 0);
static_assert(order.pair(spio::unfold(fold<spio::OFFSET, 8>(2)).get()) == 8 &&
              order.color(16) == 0);

constexpr auto i = axis<I>(64);
constexpr auto k = axis<K>(64);
using Tile = chars<checkerboard(axis<I>(16), axis<K>(16) / 8)>;

// A checkerboard of 16 pairs in 2 colors has 32 cells. (CheckerboardDerivedDims.type_aliases)
static_assert(Tile::size() == 32 && Tile::storage_size() == 32);
static_assert(Tile::extent<I>() == I(16) && Tile::extent<K8>() == K8(2) &&
              Tile::extent<K>() == K(16));

// A tensor with a checkerboard is subscripted by the axes that it places.
// (CheckerboardDerivedDims.compute_coordinates, TensorCheckerboard.derived_dim_subscript,
// Tensor.checkerboardindex_derived_dim_subscript)
constexpr bool is_a_checkerboard() {
    Tile const tile(memory);
    for (int pair = 0; pair < 16; ++pair) {
        for (int color = 0; color < 2; ++color) {
            int const expected = checker(pair, color);
            if (order(I(pair), K8(color)) != expected) return false;
            if (offset_of(tile[I(pair) + K8(color)]) != expected) return false;
            // As folds, parts of folds, or one axis after the other.
            // (CheckerboardDerivedDims.matching_logic, apply_derived_dim)
            if (offset_of(tile[K(8 * color + 5)][I(pair)]) != expected) return false;
            if (offset_of(tile[I(pair)][K8(color)]) != expected) return false;
        }
    }
    return true;
}
static_assert(is_a_checkerboard());

// A tensor with axes K / 16, I / 16 and a checkerboard of 32 cells, strides 64, 32 and 1.
using Worked = chars<k / 16, axis<I>(32) / 16, checkerboard(axis<I>(32) % 16, k % 16 / 8)>;
constexpr Worked worked(memory);
static_assert(offset_of(worked[I(5) + K8(1)]) == 10 && offset_of(worked[I(5) + K(8)]) == 10);
static_assert(offset_of(worked[I(5) + K(24)]) == 64 + 10 &&
              offset_of(worked[I(21) + K(24)]) == 64 + 32 + 10);
static_assert(offset_of(worked[I(5)][K8(1)]) == 10);
static_assert(offset_of(worked[I(2) + K8(0)][I(2) + K8(1)]) == 8);
static_assert(offset_of(worked[make_coordinates(I(3), fold<I, 4>(2), K8(1))]) == 23);
static_assert(offset_of(worked[I(5)]) == 11);

// Axes I / 16 and K / 16 before the checkerboard.
// (Tensor.checkerboardindex_derived_dim_subscript_with_static_dim_mixing)
using Mixed = chars<i / 16, k / 16, checkerboard(i % 16, k % 16 / 8)>;
constexpr bool tiles_by_itself() {
    Mixed const t(memory);
    for (int a = 0; a < 64; a += 3) {
        for (int b = 0; b < 8; ++b) {
            int const expected = a / 16 * 128 + b / 2 * 32 + checker(a % 16, b % 2);
            if (offset_of(t[I(a) + K8(b)]) != expected || offset_of(t[I(a)][K8(b)]) != expected)
                return false;
        }
    }
    return true;
}
static_assert(tiles_by_itself());

// A coarse fold, K / 64, before a finer one and the checkerboard.
// (Tensor.checkerboardindex_derived_dim_subscript_with_coarse_fold)
using Coarse = chars<axis<K>(256) / 64, axis<K>(256) % 64 / 16,
                     checkerboard(axis<I>(16), axis<K>(256) % 16 / 8)>;
constexpr bool coarse_folds_tile() {
    Coarse const t(memory);
    for (int pair = 0; pair < 16; pair += 5) {
        for (int cell = 0; cell < 32; ++cell) {
            int const expected = cell / 8 * 128 + cell / 2 % 4 * 32 + checker(pair, cell % 2);
            if (offset_of(t[I(pair) + K8(cell)]) != expected) return false;
            if (offset_of(t[fold<K, 64>(cell / 8)][I(pair) + K8(cell % 8)]) != expected)
                return false;
        }
    }
    return true;
}
static_assert(coarse_folds_tile());

// A tile of J, then a cell of it. (Tensor.checkerboardindex_with_coarse_fold_subscript)
using JTiles = chars<axis<J>(128) / 64, axis<J>(128) % 64 / 16,
                     checkerboard(axis<J>(128) % 16, axis<K>(16) / 8)>;
constexpr JTiles j_tiles(memory);
static_assert(offset_of(j_tiles[fold<J, 64>(1)][J(21) + K8(1)]) == 128 + 32 + checker(5, 1));

// The lanes of a load find their cells. (TensorDerivedDim.compound_index_subscript,
// fragment_load_index_subscript, LoadIndexToCheckerboard.mma_a_full_chain, mma_b_full_chain)
using Load = spio::compound_index<axis<K>(16) / 8, axis<I>(16)>;
constexpr bool lanes_find_their_cells() {
    for (int lane = 0; lane < 32; ++lane) {
        if (offset_of(Tile(memory)[Load(lane)]) != checker(lane % 16, lane / 16)) return false;
    }
    using LoadB = spio::compound_index<axis<I>(16) / 8, axis<K>(16) / 8, axis<I>(16) % 8>;
    for (int lane = 0; lane < 32; ++lane) {
        int const row = lane % 8 + 8 * (lane / 16);
        if (offset_of(Tile(memory)[LoadB(lane)]) != checker(row, lane / 8 % 2)) return false;
    }
    return offset_of(worked[fold<I, 16>(1)][Load(1)]) == 32 + 2 && offset_of(worked[Load(16)]) == 1;
}
static_assert(lanes_find_their_cells());

// A checkerboard has as many cells as its axes ask for.
// (TestDimArgSupport.test_checkerboard_with_static_dim_auto_size,
// test_checkerboard_with_dim_objects, test_checkerboard_with_fold_objects,
// TestDerivedDimensionInDims.test_derived_dim_via_dict_positional)
static_assert(chars<checkerboard(axis<I>(64), axis<K>(16) / 8)>::size() == 128);
static_assert(offset_of(chars<checkerboard(axis<I>(64), axis<K>(16) / 8)>(memory)[I(63)]) == 127);

// swizzle() of rows of 64 elements, where each of 8 rows has its own order, and of rows of 32,
// where two neighbouring rows share an order.
constexpr bool exchanges_rows() {
    chars<i, swizzle(k / 8, i % 8), k % 8> const wide(memory);
    chars<i, swizzle(axis<K>(32) / 8, i / 2 % 4), axis<K>(32) % 8> const narrow(memory);
    for (int a = 0; a < 64; a += 5) {
        for (int b = 0; b < 64; b += 3) {
            if (offset_of(wide[K(b)][I(a)]) != a * 64 + ((b / 8) ^ (a % 8)) * 8 + b % 8)
                return false;
            if (b < 32 &&
                offset_of(narrow[I(a) + K(b)]) != a * 32 + ((b / 8) ^ (a / 2 % 4)) * 8 + b % 8)
                return false;
        }
    }
    return true;
}
static_assert(exchanges_rows());

// The number of ranks must be even and positive. The axes that are placed or read must have no
// pitch.
template <int Ranks>
concept has_ranks = requires { typename chars<checkerboard(i, k % 16 / 8, Ranks), k / 16>; };
static_assert(has_ranks<8> && has_ranks<2> && !has_ranks<0> && !has_ranks<3> && !has_ranks<-4>);
template <auto Column, auto Row>
concept swizzles = requires { typename chars<axis<I>(8), swizzle(Column, Row)>; };
static_assert(swizzles<axis<K>(8), axis<I>(8)> && !swizzles<axis<K>(8), axis<I>(8).pitch(9)>);
static_assert(!swizzles<axis<K>(8).pitch(1), axis<I>(8)> && !swizzles<axis<K>(8), 8>);
template <class A, class B>
concept checkers = requires(A a, B b) { checkerboard(a, b); };
static_assert(checkers<axis<I>, axis<K>> && !checkers<axis<I>, int> && !checkers<I, axis<K>>);

// The swizzle of TMA for rows of any size: the column of a cell is exclusive-ored with the number
// of its line, of eight cells.
template <int Columns, int RowSize> constexpr bool is_swizzled_by_line() {
    constexpr axis<I> block{3};
    constexpr axis<J> row{RowSize};
    using Lines = chars<block, row, swizzle(axis<K>(Columns), block, row)>;
    for (int b = 0; b < 3; ++b) {
        for (int r = 0; r < RowSize; ++r) {
            for (int column = 0; column < Columns; ++column) {
                int const cell = (b * RowSize + r) * Columns + column;
                if (offset_of(Lines(memory)[I(b)][J(r)][K(column)]) !=
                    (cell ^ cell / 8 % Columns)) {
                    return false;
                }
            }
        }
    }
    return true;
}
static_assert(is_swizzled_by_line<8, 18>() && is_swizzled_by_line<8, 5>() &&
              is_swizzled_by_line<4, 11>() && is_swizzled_by_line<2, 22>() &&
              is_swizzled_by_line<1, 7>());
