// The tiles of a factor in shared memory, a ring of them, in either order of its elements.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a or b of the product a b; K is what the product sums over, Outer the rows of a or
// the columns of b. axis<D>(n) is the dimension D with n values; fold<D, n>, or axis / n, counts it
// in blocks of n. A tensor is a pointer with axes, outermost first. A subscript is a position along
// some of its axes, and returns a cursor: a place in the tensor, with an address. A swizzle
// exchanges cells by their row, so that lanes read different banks. A stage is one place of a ring
// in shared memory. type_is<T> has T as its member `type`.
#pragma once

#include "matmul/problem.h"
#include "spio/swizzle.h"
#include "spio/tile/half.cuh"
#include "spio/tile/vector.h"

namespace spio::matmul {

// A stage of the ring.
struct STAGE : dim {
    using dim::dim;
};

template <factor_type Type> struct factor_of : type_is<half> {};
template <> struct factor_of<factor_type::bf16> : type_is<bfloat16> {};
template <result_type Type> struct result_of : type_is<float> {};
template <> struct result_of<result_type::fp16> : type_is<half> {};
template <> struct result_of<result_type::bf16> : type_is<bfloat16> {};

// A factor's ring of tiles of Size rows or columns, in TMA boxes of Piece of these. ByLines tells
// whether they lie side by side in memory; if not, the elements along k do.
template <class Cell, index Outer, int Size, int Piece, int Stages, bool ByLines>
struct factor_tiles {
    static constexpr axis<STAGE> stage{Stages};
    static constexpr axis<Outer> outer{Size};
    static constexpr axis<Outer> piece{Piece};
    static constexpr axis<K> k{tile_k};
    using Pieces = fold<Outer, Piece>;
    static constexpr int pieces = Size / Piece;
    using box = tensor<Cell, piece, swizzle(k / 8, piece % 8)>;
    using ring = tensor<Cell, stage, outer / Piece, outer % Piece, swizzle(k / 8, outer % 8)>;
    using global =
        tensor<Cell const, axis<BATCH>(dynamic), axis<Outer>(dynamic), axis<K>(dynamic) / 8>;
};
template <class Cell, index Outer, int Size, int Piece, int Stages>
struct factor_tiles<Cell, Outer, Size, Piece, Stages, true> {
    static constexpr axis<STAGE> stage{Stages};
    static constexpr axis<Outer> outer{Size};
    static constexpr axis<Outer> piece{Piece};
    static constexpr axis<K> k{tile_k};
    using Pieces = fold<Outer, Piece>;
    static constexpr int pieces = Size / Piece;
    using box = tensor<Cell, k, swizzle(piece / 8, k % 8)>;
    using ring = tensor<Cell, stage, outer / Piece, k, swizzle(outer % Piece / 8, k % 8)>;
    using global =
        tensor<Cell const, axis<BATCH>(dynamic), axis<K>(dynamic), axis<Outer>(dynamic) / 8>;
};

} // namespace spio::matmul
