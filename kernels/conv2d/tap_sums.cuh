// The weight gradient of a group in the registers of a warp: rows of x meet rows of y.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/wgrad.h"
#include "spio/compound_index.h"
#include "spio/tile/multiply.cuh"

namespace spio::conv2d::wgrad {

// The channels of x under two taps, one after the other: D(8 tap + c).
struct D : dim {
    using dim::dim;
};
using D8 = fold<D, 8>;
using Q8 = fold<Q, 8>;

inline constexpr axis<Q> q16{16};
inline constexpr axis<K> k8{8};
inline constexpr axis<D> d8{8};
inline constexpr axis<D> d16{16};

using two_taps = left_fragment<half, d16, q16>;
using one_tap = right_fragment<half, q16, d8>;
using gradient = right_fragment<half, q16, k8>;
using sums = sum_fragment<d16, k8>;

// One above the other.
__device__ inline two_taps stacked(one_tap const& above, one_tap const& below) {
    two_taps both;
#pragma unroll
    for (int piece = 0; piece < one_tap::count; ++piece) {
        both.of[2 * piece] = above.of[piece];
        both.of[2 * piece + 1] = below.of[piece];
    }
    return both;
}
__device__ inline one_tap filled(unsigned bits) {
    one_tap all;
    for (auto& each : all.of) each.bits = bits;
    return all;
}
inline constexpr unsigned two_ones = 0x3c003c00;

// Columns come in tiles of 16, tile after tile of an Index over images and columns, 8 at a time in
// one image. Beyond the last column of y there may be columns of x: they meet nothing, not even
// zeros, since theirs may be no numbers.
template <class Index, int Tiles> class columns_there {
  public:
    // So many columns of y are left from the first.
    __device__ explicit columns_there(int columns) {
        int const of_lane =
            for_lane<one_tap::lane_index>(this_lane()).template get<fold<Q, 2>>().get();
#pragma unroll
        for (int tile = 0; tile < Tiles; ++tile) {
#pragma unroll
            for (int piece = 0; piece < 2; ++piece) {
                int const first =
                    Index(16 * tile + 8 * piece).template get<Q>().get() + 2 * of_lane;
                bits_[tile][piece] =
                    (first < columns ? 0xffffU : 0) | (first + 1 < columns ? 0xffff0000U : 0);
            }
        }
    }
    __device__ void keep(two_taps& of, int tile) const {
#pragma unroll
        for (int n = 0; n < two_taps::count; ++n) of.of[n].bits &= bits_[tile][n / 2];
    }

  private:
    unsigned bits_[Tiles][2];
};

// Taps that are left over in the last column meet two rows of x at a time: where the row before
// stays beside the one that is read, both are read from there, else it is kept in registers.
template <problem Problem, class Index, int Tiles, bool RowStays> class tap_sums {
  public:
    static constexpr tap_pairs pairs = pairs_of(Problem);
    static constexpr int count = pairs.count();
    static constexpr int r = Problem.r;
    static constexpr int of_row = pairs.of_row();
    static constexpr bool has_column = Problem.s % 2 == 1;
    static constexpr int first_of_column = pairs.first_of_column();
    static constexpr int last_of_column = pairs.last() - 1;
    // Whether no tile has columns beyond the last one of y.
    static constexpr bool all_there =
        Problem.knows_image() && Problem.q() % Index::template size<Q>() == 0;

    // The column of a tile whose row of 16 bytes a lane points to, for those of x and of y.
    __device__ static Index column_of_x() {
        auto const row = two_taps::transposed_row_index();
        return Index(8 * row.template get<Q8>().get() + row.template get<Q>().get());
    }
    __device__ static W shift_of_x() {
        return W(two_taps::transposed_row_index().template get<D8>().get());
    }
    __device__ static Index column_of_last() {
        if constexpr (RowStays) {
            return column_of_x();
        } else {
            return column_of_dy();
        }
    }
    // Where rows stay: whether a lane points to the row before.
    __device__ static bool is_at_row_before() {
        return meets_two_rows(Problem) && shift_of_x() == W(0);
    }
    __device__ static Index column_of_dy() {
        return Index(gradient::transposed_row_index().template get<Q>().get());
    }

    __device__ tap_sums() {
        for (auto& each : sum_) each.zero();
        for (auto& row : dy_) {
            for (auto& tile : row) {
                for (auto& each : tile.of) each.bits = 0;
            }
        }
        forget_row();
    }

    // A step begins: the rows of y are one further away from the row of x.
    __device__ void step() {
#pragma unroll
        for (int row = r - 1; row > 0; --row) {
#pragma unroll
            for (int tile = 0; tile < Tiles; ++tile) dy_[row][tile] = dy_[row - 1][tile];
        }
    }
    template <class Cursor> __device__ void take_dy(Cursor const& dy) {
#pragma unroll
        for (int tile = 0; tile < Tiles; ++tile) dy_[0][tile].load_transposed(dy[Index(16 * tile)]);
    }

    // A row of x meets the rows of y under the rows of the filter from first to last. Lanes of `x`
    // are at their columns and shifts, those of `last` at their columns under the last tap.
    template <class Cursor, class Last>
    __device__ __forceinline__ void add_row(Cursor const& x, Last const& last,
                                            columns_there<Index, Tiles> const& there, int first_row,
                                            int last_row) {
        add_tiles(x, last, there, first_row, last_row, numbers_below<Tiles>());
        if (first_row == 0) add_bias_alone();
    }
    // There is no such row of x.
    __device__ __forceinline__ void add_no_row(int first_row, int last_row) {
        if constexpr (Problem.bias && pairs.is_odd()) {
            if (last_row == r - 1) {
#pragma unroll
                for (int tile = 0; tile < Tiles; ++tile) {
                    multiply(sum_[last_of_column], stacked(filled(two_ones), filled(0)),
                             dy_[r - 1][tile]);
                }
            }
        }
        if (first_row == 0) add_bias_alone();
        forget_row();
    }

    // To the workspace, at this lane.
    template <class Cursor> __device__ void store(Cursor const& to) const {
#pragma unroll
        for (int pair = 0; pair < count; ++pair) {
            *to[PAIR(pair)] = bits_as<vec<float, 4>>(sum_[pair]);
        }
    }

  private:
    // Inlined at any size, as is all that comes below it: only then are the sums registers.
    template <class Cursor, class Last, int... Tile>
    __device__ __forceinline__ void add_tiles(Cursor const& x, Last const& last,
                                              columns_there<Index, Tiles> const& there,
                                              int first_row, int last_row, numbers<Tile...>) {
        (add_tile<Tile>(x, last, there, first_row, last_row), ...);
    }
    template <int Tile, class Cursor, class Last>
    __device__ __forceinline__ void add_tile(Cursor const& x, Last const& last,
                                             columns_there<Index, Tiles> const& there,
                                             int first_row, int last_row) {
        auto const at = Index(16 * Tile).template cast<Q, W>();
        two_taps neighbours[max(of_row, 1)];
        two_taps column;
#pragma unroll
        for (int pair = 0; pair < of_row; ++pair) {
            neighbours[pair].load_transposed(x[at][W(2 * pair)]);
            if constexpr (!all_there) there.keep(neighbours[pair], Tile);
        }
        if constexpr (has_column) {
            column = column_at<Tile>(last[at]);
            if constexpr (!all_there) there.keep(column, Tile);
        }
        add_rows<Tile>(neighbours, column, first_row, last_row, numbers_below<r>());
    }
    template <int Tile, int... Row>
    __device__ __forceinline__ void add_rows(two_taps const (&neighbours)[max(of_row, 1)],
                                             two_taps const& column, int first_row, int last_row,
                                             numbers<Row...>) {
        ((first_row <= Row && Row <= last_row ? add<Row, Tile>(neighbours, column) : void()), ...);
    }
    // The last column under the row before, above that under the row that is read.
    template <int Tile, class Cursor>
    __device__ __forceinline__ two_taps column_at(Cursor const& last) {
        two_taps both;
        if constexpr (RowStays) {
            both.load_transposed(last);
        } else {
            one_tap column;
            column.load_transposed(last);
            both = stacked(row_before_[Tile], column);
            row_before_[Tile] = column;
        }
        return both;
    }
    // The products of a tile under one row of the filter.
    template <int Row, int Tile>
    __device__ __forceinline__ void add(two_taps const (&neighbours)[max(of_row, 1)],
                                        two_taps const& column) {
        gradient const& dy = dy_[Row][Tile];
#pragma unroll
        for (int pair = 0; pair < of_row; ++pair) {
            multiply(sum_[Row * of_row + pair], neighbours[pair], dy);
        }
        if constexpr (has_column && Row % 2 == 1) {
            multiply(sum_[first_of_column + Row / 2], column, dy);
        } else if constexpr (has_column && Row == r - 1) {
            multiply(sum_[first_of_column + Row / 2], below_bias(column), dy);
        }
    }
    // What stands above a single tap is nobody's, unless it is the bias.
    __device__ __forceinline__ static two_taps below_bias(two_taps column) {
        if constexpr (Problem.bias) {
#pragma unroll
            for (int n = 0; n < two_taps::count; n += 2) column.of[n].bits = two_ones;
        }
        return column;
    }
    __device__ void add_bias_alone() {
        if constexpr (pairs.has_bias_alone()) {
            two_taps const ones = stacked(filled(two_ones), filled(0));
#pragma unroll
            for (int tile = 0; tile < Tiles; ++tile) {
                multiply(sum_[count - 1], ones, dy_[0][tile]);
            }
        }
    }
    __device__ void forget_row() {
        for (auto& each : row_before_) each = filled(0);
    }

    sums sum_[count];
    gradient dy_[r][Tiles]; // the row that came in this step first
    one_tap row_before_[Tiles];
};

} // namespace spio::conv2d::wgrad
