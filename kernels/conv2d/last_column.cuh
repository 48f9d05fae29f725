// The last column of a filter with an odd number of columns: its taps in pairs of rows.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. A tap is the filter at one of its
// rows and columns, with 8 input channels: the depth of a product. Columns of taps are paired, so
// that two taps make one product of depth 16. The last of an odd number of columns has no partner;
// here its taps make such products with those of the next row, where the input row is the next one
// too. A fragment is the part of a matrix operand that a lane holds, a cursor a place in a tensor;
// a subscript moves it. Problem, the sizes and options of a call, is known when a kernel is
// compiled. row_index() is the row that a lane gives to ldmatrix.
#pragma once

#include "conv2d/filter_fragments.cuh"

namespace spio::conv2d {

template <problem Problem> class last_column {
  public:
    using T = element<Problem>;
    using two_rows = right_fragment<T, d16, k8>;
    using one_row = right_fragment<T, d8, k8>;

    // `group` is the cursor at the first cell of a group in a filter_tile.
    template <class Cursor> __device__ explicit last_column(Cursor const& group) {
#pragma unroll
        for (int pair = 0; pair < pairs; ++pair) load(pairs_[pair], group, R(2 * pair));
        load(last_, group, R(Problem.r - 1));
    }
    // Adds the products of an input row and of the next one under the last column. `input` is the
    // place of this lane: under that column, in the first of the two rows for the first taps, in
    // the second for the others. A row may lie outside the image; sum_of(n) is the accumulator of
    // the output that has the first row under row n of the filter, or null.
    template <class Cursor, class SumOf>
    __device__ __forceinline__ void add(Cursor const& input, bool has_row, bool has_next,
                                        SumOf const& sum_of) const {
        two_taps<T> rows;
        one_tap<T> row;
        if (has_row && has_next) {
            rows.load(input);
            row.registers[0] = rows.registers[0];
            row.registers[1] = rows.registers[1];
        } else {
            row.load(input[H(has_row ? 0 : 1)]);
        }
#pragma unroll
        for (int pair = 0; pair < pairs; ++pair) {
            accumulator* const sum = sum_of(2 * pair);
            if (sum == nullptr) continue;
            if (has_row && has_next) {
                multiply(*sum, rows, pairs_[pair]);
            } else {
                one_row taps;
                taps.registers[0] = pairs_[pair].registers[has_row ? 0 : 1];
                multiply(*sum, row, taps);
            }
        }
        accumulator* const sum = sum_of(Problem.r - 1);
        if (has_row && sum != nullptr) multiply(*sum, row, last_);
    }

  private:
    static constexpr int pairs = Problem.r / 2;

    template <class Fragment, class Cursor>
    __device__ static void load(Fragment& taps, Cursor const& group, R r) {
        if constexpr (Problem.pass == direction::fprop) {
            auto const row = Fragment::row_index();
            R const next(row.template get<D8>().get());
            taps.load(group[row.template get<K>()][r + next][S(Problem.s - 1)]);
        } else {
            // dgrad: the output channels of fprop are its input channels, and the filter is rotated
            // by 180 degrees.
            auto const row = Fragment::transposed_row_index();
            auto const channel = row.template get<D>();
            R const next(D8(channel).get());
            taps.load_transposed(group[C(channel.get() % 8)][R(Problem.r - 1) - r - next][S(0)]);
        }
    }

    two_rows pairs_[pairs];
    one_row last_;
};

} // namespace spio::conv2d
