// Fragments of wgrad in the registers of a warp: x, the gradient of y, and accumulators of taps.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad is the gradient of the filter. A fragment is the part of a matrix operand that a lane
// holds: d8 and d16 are the 8 channels of x under one tap of the filter and under two, q16 is 16
// columns, which the product sums over, and k8 is 8 channels of y. Q is a column of y, and
// fold<Q, 2> counts pairs of them: a register holds one pair. A compound index is one number for
// several indices, the last of which varies fastest. for_lane<lane_index>(lane) says which elements
// of a fragment a lane holds.
#pragma once

#include "conv2d/mma_axes.h"
#include "conv2d/tensors.h"
#include "conv2d/wgrad.h"
#include "spio/compound_index.h"
#include "spio/tile/multiply.cuh"

namespace spio::conv2d::wgrad {

using Q8 = fold<Q, 8>; // half the columns of an mma tile

template <factor T> using two_taps = left_fragment<T, d16, q16>;
template <factor T> using one_tap = right_fragment<T, q16, d8>;
template <factor T> using gradient = right_fragment<T, q16, k8>;
using accumulator = sum_fragment<d16, k8>;

// The fragment of two taps: rows 0 to 7 of the operand are the first, rows 8 to 15 the second.
template <factor T>
__device__ two_taps<T> stacked(one_tap<T> const& first, one_tap<T> const& second) {
    two_taps<T> stack;
#pragma unroll
    for (int piece = 0; piece < one_tap<T>::count; ++piece) {
        stack.registers[2 * piece] = first.registers[piece];
        stack.registers[2 * piece + 1] = second.registers[piece];
    }
    return stack;
}
// Multiplies the first 8 of the 16 columns alone: registers 0 and 1 of a left operand hold them for
// the first and for the second tap, and register 0 of a right one.
template <factor T>
__device__ void multiply_first_half(accumulator& sum, two_taps<T> const& taps,
                                    gradient<T> const& dy) {
    constexpr axis<Q> q8{8};
    left_fragment<T, d16, q8> left;
    right_fragment<T, q8, k8> right;
    left.registers[0] = taps.registers[0];
    left.registers[1] = taps.registers[1];
    right.registers[0] = dy.registers[0];
    multiply(sum, left, right);
}
// A fragment whose registers all have the same bits.
template <factor T> __device__ one_tap<T> filled(unsigned bits) {
    one_tap<T> tap;
    for (auto& piece : tap.registers) piece.bits = bits;
    return tap;
}
// Two numbers of value 1. A tap that is filled with them sums the gradient of y: that of the bias.
template <factor T> inline constexpr unsigned two_ones = same<T, half> ? 0x3c003c00 : 0x3f803f80;

// Clears the columns of x beyond the last column of y. They are multiplied only with zeros, but a
// NaN times zero would not be zero. Index numbers the columns of some images; the mask covers them
// in mma tiles of 16 columns.
template <class Index, int MmaTiles> class column_mask {
  public:
    // `columns` is the number of columns of y, counted from the first column that the mask covers.
    __device__ explicit column_mask(int columns) {
        // The pair of columns that this lane holds.
        int const lane_column =
            for_lane<right_map<q16, d8>::lane_index>(this_lane()).template get<fold<Q, 2>>().get();
#pragma unroll
        for (int mma_tile = 0; mma_tile < MmaTiles; ++mma_tile) {
#pragma unroll
            for (int piece = 0; piece < 2; ++piece) {
                int const first =
                    Index(16 * mma_tile + 8 * piece).template get<Q>().get() + 2 * lane_column;
                bits_[mma_tile][piece] =
                    (first < columns ? 0xffffU : 0) | (first + 1 < columns ? 0xffff0000U : 0);
            }
        }
    }
    // Clears such columns in half of a fragment of one of the mma tiles.
    template <factor T> __device__ void apply(two_taps<T>& fragment, int mma_tile, int half) const {
#pragma unroll
        for (int tap = 0; tap < 2; ++tap)
            fragment.registers[2 * half + tap].bits &= bits_[mma_tile][half];
    }

  private:
    unsigned bits_[MmaTiles][2];
};

} // namespace spio::conv2d::wgrad
