// Fragments of fprop and dgrad: input, filter and accumulators of a group in a warp.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. A fragment is the part of a matrix
// operand that a lane holds. q16 is 16 columns of the output, k8 8 of its channels, and d8 or d16
// the 8 input channels under one tap, or under two. Problem (the sizes and options of a call) and
// Config (how blocks and warps share it) are known when a kernel is compiled.
#pragma once

#include "conv2d/mma_axes.h"
#include "conv2d/tensors.h"
#include "spio/tile/multiply.cuh"

namespace spio::conv2d {

// A tap is the filter at one of its rows and columns, with 8 input channels: the depth of a
// product. Two neighbouring taps make one product of depth 16, and the last tap of an odd number
// one of depth 8.
template <factor T> using one_tap = left_fragment<T, q16, d8>;
template <factor T> using two_taps = left_fragment<T, q16, d16>;
using accumulator = sum_fragment<q16, k8>;

// The filter of a group: pairs of taps, and the last tap of each row where their number is odd.
template <problem Problem> class filter_fragments {
  public:
    using T = element<Problem>;
    using pair_of_taps = right_fragment<T, d16, k8>;
    using single_tap = right_fragment<T, d8, k8>;

    static constexpr int pairs = Problem.s / 2;
    static constexpr bool has_single = Problem.s % 2 == 1;

    // The column under the tap that a lane addresses in two_taps, from that under the first tap.
    template <class Lane> __device__ static W column_of_tap(Lane const& lane) {
        return W(Problem.dilation_w * lane.template get<D8>().get());
    }
    __device__ pair_of_taps const& taps(R r, int pair) const { return pairs_[r.get()][pair]; }
    __device__ single_tap const& last_tap(R r) const { return single_[r.get()]; }

    // For each pair of neighbouring columns of the filter, and for the last column if it has no
    // partner: loads the input that 16 neighbouring outputs read under them, and calls
    // add(input, taps), where taps(r) is the filter's fragment in row r.
    template <class Cursor, class Add>
    __device__ __forceinline__ void for_each_step(Cursor const& input, Add const& add) const {
#pragma unroll
        for (int pair = 0; pair < pairs; ++pair) {
            two_taps<T> columns;
            columns.load(input[W(Problem.dilation_w * 2 * pair)]);
            add(columns, [this, pair](R r) { return taps(r, pair); });
        }
        if constexpr (has_single) {
            one_tap<T> columns;
            columns.load(input[W(Problem.dilation_w * (Problem.s - 1))]);
            add(columns, [this](R r) { return last_tap(r); });
        }
    }

  protected:
    pair_of_taps pairs_[Problem.r][max(pairs, 1)];
    single_tap single_[Problem.r];
};

} // namespace spio::conv2d
