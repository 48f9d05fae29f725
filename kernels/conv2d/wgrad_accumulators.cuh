// The weight gradient of a group in the registers of a warp: products of rows of x and of dy.
// SPDX-License-Identifier: Apache-2.0
//
// A tap is an element of the filter's window, in row R and column S. A fragment is the part of a
// matrix operand that a lane holds. A step takes one row of x, and `live` rows of dy read it; from
// a row of dy to the next it is `advance` rows of x. Q numbers the columns of dy, W those of x.
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled. A span is some neighbouring rows of dy. The workspace is the array in
// global memory where blocks leave partial sums. A PAIR is two taps, whose gradients one mma
// computes. The gradient of the bias, the sum of dy, is a product of dy with ones: in the pair of a
// tap without a partner, or else in a pair of its own, the unpaired bias. has_static_image() says
// whether the height and width are known when a kernel is compiled.
#pragma once

#include "conv2d/wgrad_fragments.cuh"
#include "conv2d/wgrad_steps.cuh"

namespace spio::conv2d::wgrad {

// The accumulators of all taps of a group, and the last rows of the gradient dy of y, in mma tiles
// of 16 columns. A tap of the filter's last column that has no neighbour in its row is paired
// with the tap above or below it; such a pair needs two rows of x. With KeepsRow, the previous row
// of x is still in shared memory and is loaded again; without it, its fragment stays in registers.
// Index numbers the columns of all images that a row spans.
// Where two warps share a group, each has the pairs of taps of its part, 0 or 1, and only those.
template <problem Problem, class Index, int MmaTiles, bool KeepsRow, int Part = 0, int Parts = 1>
class tap_accumulators {
    using T = element<Problem>;
    using two_taps = wgrad::two_taps<T>;
    using one_tap = wgrad::one_tap<T>;
    using gradient = wgrad::gradient<T>;

  public:
    static constexpr tap_pairs pairs = pairs_of(Problem);
    static constexpr int count = pairs.count();
    static constexpr int r = Problem.r;
    static constexpr int live = rows_of(Problem).live_outputs();
    static constexpr int advance = rows_of(Problem).advance();
    static constexpr int row_pairs = pairs.row_pairs();
    static constexpr bool has_column = Problem.s % 2 == 1;
    static constexpr int first_column_pair = pairs.first_column_pair();
    static constexpr int last_column_pair = pairs.tap_count() - 1;
    // Whether this part has a pair of taps. The first part has the first half of the pairs of
    // columns. If both parts have as many of these, it has some pairs of the last column too, so
    // that both have about as many products.
    static constexpr bool has_pair(int pair) {
        if (Parts == 1) return true;
        bool const is_shared = row_pairs % 2 == 0;
        bool const is_first =
            pair < first_column_pair
                ? pair % max(row_pairs, 1) < divup(row_pairs, 2)
                : is_shared && pair - first_column_pair < pairs.column_pairs() / 2;
        return is_first == (Part == 0);
    }
    // Whether it has pairs of the last column.
    static constexpr bool has_last_column() {
        for (int pair = first_column_pair; pair <= last_column_pair; ++pair) {
            if (has_pair(pair)) return true;
        }
        return false;
    }
    // Whether rows of dy are known not to be cut into strips. Then it is known which columns of an
    // mma tile are beyond the last column of y.
    static constexpr bool has_whole_rows =
        Problem.has_static_image() && Problem.q() <= Index::template size<Q>();
    // The columns of an image from the first of half an mma tile on.
    static constexpr int columns_from(int mma_tile, int half) {
        return Problem.q() - Index(16 * mma_tile + 8 * half).template get<Q>().get();
    }
    // Whether the second half of an mma tile is beyond the last column of y. The first half then is
    // all that is multiplied.
    static constexpr bool is_half(int mma_tile) {
        return has_whole_rows && Index::template size<Q>() >= 16 &&
               columns_from(mma_tile, /*half=*/1) <= 0;
    }
    // Whether half of an mma tile is multiplied, and may have columns beyond the last one of y.
    static constexpr bool needs_mask(int mma_tile, int half) {
        if (half == 1 && is_half(mma_tile)) return false;
        if (has_whole_rows) return columns_from(mma_tile, half) < 8;
        return !Problem.has_static_image() || Problem.q() % Index::template size<Q>() != 0;
    }

    // The column of an mma tile that a lane's ldmatrix points to, in x and in dy, and the tap in x.
    __device__ static Index column_of_x() {
        auto const row = two_taps::transposed_row_index();
        return Index(8 * row.template get<Q8>().get() + row.template get<Q>().get());
    }
    __device__ static S tap_of_x() {
        return S(two_taps::transposed_row_index().template get<D8>().get());
    }
    // The tap of the pair that a lane's ldmatrix points to. Where taps can be exchanged, the last
    // four of eight columns read the second one first.
    __device__ static S exchanged_tap_of_x() {
        int const column = two_taps::transposed_row_index().template get<Q>().get();
        return S(tap_of_x().get() ^ first_tap_of_pair(Problem, column));
    }
    // The column of x's tile that a column of dy's tile meets under a tap. Column 0 of x's tile is
    // the one that column 0 of dy's meets under tap 0; it may lie in the padding.
    __device__ static W column_under(Q column, S tap) {
        return W(Problem.stride_w * column.get() + Problem.dilation_w * tap.get());
    }
    __device__ static Index column_of_last_tap() {
        if constexpr (KeepsRow) {
            return column_of_x();
        } else {
            return column_of_dy();
        }
    }
    // With KeepsRow: whether this lane's ldmatrix reads the previous row of x.
    __device__ static bool points_to_previous_row() {
        return pairs_rows(Problem) && tap_of_x() == S(0);
    }
    __device__ static Index column_of_dy() {
        return Index(gradient::transposed_row_index().template get<Q>().get());
    }

    __device__ tap_accumulators() {
        for (auto& sum : sums_) sum.zero();
        for (auto& row : dy_) {
            for (auto& mma_tile : row) {
                for (auto& piece : mma_tile.registers) piece.bits = 0;
            }
        }
        clear_previous_row();
    }

    // Goes to the next row of dy: those that are held move up by one.
    __device__ void step() {
#pragma unroll
        for (int row = live - 1; row > 0; --row) {
#pragma unroll
            for (int mma_tile = 0; mma_tile < MmaTiles; ++mma_tile)
                dy_[row][mma_tile] = dy_[row - 1][mma_tile];
        }
    }
    // Loads the newest row of dy.
    template <class Cursor> __device__ void load_dy(Cursor const& dy) {
#pragma unroll
        for (int mma_tile = 0; mma_tile < MmaTiles; ++mma_tile)
            dy_[0][mma_tile].load_transposed(dy[Index(16 * mma_tile)]);
    }

    // Adds the products of the row of x of a step with the rows of dy that read it. `x` is this
    // lane's cursor at column_of_x and tap_of_x, `last` the one at column_of_last_tap under the
    // last tap.
    template <class Cursor, class Last>
    __device__ __forceinline__ void add_row(Cursor const& x, Last const& last,
                                            column_mask<Index, MmaTiles> const& mask,
                                            row_step const& step) {
#pragma unroll
        for (int mma_tile = 0; mma_tile < MmaTiles; ++mma_tile) {
            add_mma_tile(mma_tile, x, last, mask, step);
        }
        if (step.has_dy()) add_unpaired_bias();
    }
    // Does what add_row does for a row of the padding, which is all zeros.
    __device__ __forceinline__ void add_no_row(row_step const& step) {
        if constexpr (Problem.bias && pairs.is_odd() && has_pair(last_column_pair)) {
            if (meets(step, r - 1)) {
#pragma unroll
                for (int mma_tile = 0; mma_tile < MmaTiles; ++mma_tile) {
                    multiply(sums_[last_column_pair],
                             stacked<T>(filled<T>(two_ones<T>), filled<T>(0)),
                             dy_[live - 1][mma_tile]);
                }
            }
        }
        if (step.has_dy()) add_unpaired_bias();
        clear_previous_row();
    }

    // Calls f(pair, sum) with this lane's part of the accumulator of each pair of this part.
    template <class F> __device__ __forceinline__ void each_sum(F const& f) const {
#pragma unroll
        for (int pair = 0; pair < count; ++pair) {
            if (has_pair(pair)) f(pair, bits_as<vec<float, 4>>(sums_[pair]));
        }
    }

  private:
    // Whether a row of dy reads the row of x of a step under this row of the filter.
    __device__ static bool meets(row_step const& step, int row) {
        return row % advance == step.offset && step.first <= row / advance &&
               row / advance <= step.last;
    }
    // These functions are inlined at any size, so that the accumulators stay in registers: their
    // mma tiles and rows are known when the loops over them are unrolled. A loop costs the compiler
    // less than an instance for each number. The other parameters are those of add_row.
    template <class Cursor, class Last>
    __device__ __forceinline__ void add_mma_tile(int mma_tile, Cursor const& x, Last const& last,
                                                 column_mask<Index, MmaTiles> const& mask,
                                                 row_step const& step) {
        Index const first(16 * mma_tile);
        auto const columns =
            make_coordinates(first.template get<N>(), column_under(first.template get<Q>(), S(0)));
        two_taps neighbours[max(row_pairs, 1)];
        two_taps column;
#pragma unroll
        for (int pair = 0; pair < row_pairs; ++pair) {
            if (!has_pair(pair)) continue; // it stands for all pairs of these columns
            neighbours[pair].load_transposed(x[columns][column_under(Q(0), S(2 * pair))]);
            if constexpr (can_exchange_taps(Problem)) put_in_order(neighbours[pair]);
            clear_spare_columns(neighbours[pair], mask, mma_tile);
        }
        if constexpr (has_column && has_last_column()) {
            column = last_taps(mma_tile, last[columns]);
            clear_spare_columns(column, mask, mma_tile);
        }
#pragma unroll
        for (int row = 0; row < r; ++row) {
            if (meets(step, row)) add_filter_row(row, mma_tile, neighbours, column);
        }
    }
    // Exchanges the taps back in the lanes that hold the last four of eight columns.
    __device__ __forceinline__ static void put_in_order(two_taps& taps) {
        bool const is_exchanged = this_lane().get() % 4 >= 2;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            auto const first = taps.registers[2 * half], second = taps.registers[2 * half + 1];
            taps.registers[2 * half] = is_exchanged ? second : first;
            taps.registers[2 * half + 1] = is_exchanged ? first : second;
        }
    }
    __device__ __forceinline__ static void
    clear_spare_columns(two_taps& taps, column_mask<Index, MmaTiles> const& mask, int mma_tile) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            if (needs_mask(mma_tile, half)) mask.apply(taps, mma_tile, half);
        }
    }
    // The last tap of two rows of x, with the previous row above this one.
    template <class Cursor>
    __device__ __forceinline__ two_taps last_taps(int mma_tile, Cursor const& last) {
        two_taps rows;
        if constexpr (KeepsRow) {
            rows.load_transposed(last);
        } else {
            one_tap column;
            column.load_transposed(last);
            rows = stacked<T>(previous_row_[mma_tile], column);
            previous_row_[mma_tile] = column;
        }
        return rows;
    }
    // Adds the products of an mma tile under one row of the filter.
    __device__ __forceinline__ void add_filter_row(int row, int mma_tile,
                                                   two_taps const (&neighbours)[max(row_pairs, 1)],
                                                   two_taps const& column) {
        gradient const& dy = dy_[row / advance][mma_tile];
#pragma unroll
        for (int pair = 0; pair < row_pairs; ++pair) {
            add_product(mma_tile, row * row_pairs + pair, neighbours[pair], dy);
        }
        if constexpr (has_column) {
            bool const is_paired = row % 2 == 1;
            if (is_paired || row == r - 1) {
                add_product(mma_tile, first_column_pair + row / 2,
                            is_paired ? column : below_bias(column), dy);
            }
        }
    }
    __device__ __forceinline__ void add_product(int mma_tile, int pair, two_taps const& taps,
                                                gradient const& dy) {
        if (!has_pair(pair)) return;
        if (is_half(mma_tile)) {
            multiply_first_half(sums_[pair], taps, dy);
        } else {
            multiply(sums_[pair], taps, dy);
        }
    }
    // Above an unpaired tap there is the bias, as products with ones, or a spare half.
    __device__ __forceinline__ static two_taps below_bias(two_taps column) {
        if constexpr (Problem.bias) {
#pragma unroll
            for (int n = 0; n < two_taps::count; n += 2) column.registers[n].bits = two_ones<T>;
        }
        return column;
    }
    __device__ void add_unpaired_bias() {
        if constexpr (pairs.has_unpaired_bias() && has_pair(count - 1)) {
            two_taps const ones = stacked<T>(filled<T>(two_ones<T>), filled<T>(0));
#pragma unroll
            for (int mma_tile = 0; mma_tile < MmaTiles; ++mma_tile) {
                multiply(sums_[count - 1], ones, dy_[0][mma_tile]);
            }
        }
    }
    __device__ void clear_previous_row() {
        for (auto& mma_tile : previous_row_) mma_tile = filled<T>(0);
    }

    accumulator sums_[count];
    gradient dy_[live][MmaTiles]; // the row loaded last comes first
    one_tap previous_row_[MmaTiles];
};

} // namespace spio::conv2d::wgrad
