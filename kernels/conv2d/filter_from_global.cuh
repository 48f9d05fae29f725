// The filter fragments of a group, loaded by the lanes of a warp from global memory.
// SPDX-License-Identifier: Apache-2.0
//
// The filter of a group has 8 channels K of the output, taps in R rows and S columns, and 8
// channels C of the input. dgrad computes the gradient of the input. axis<D>(n) is the dimension D
// with n values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a pointer with
// axes, outermost first. A subscript is a position along some of its axes, and returns a cursor: a
// place in the tensor, with an address. Problem (the sizes and options of a call) and Config (how
// blocks and warps share it) are known when a kernel is compiled. for_lane<lane_index>(lane) says
// which elements of a fragment a lane holds. cast<D>(x) is the same number in the dimension D.
#pragma once

#include "conv2d/filter_fragments.cuh"

namespace spio::conv2d {

// For each row of the filter, pairs_ has a fragment of each two neighbouring taps, and single_ the
// last tap of an odd number. D numbers the input channels under one tap, or under two, one after
// the other.
template <problem Problem> class filter_from_global : public filter_fragments<Problem> {
    using fragments = filter_fragments<Problem>;
    using T = element<Problem>;

  public:
    __device__ filter_from_global(element_bits const* filter, fold<C, 8> group) {
#pragma unroll
        for (auto const r : range(R(Problem.r))) {
#pragma unroll
            for (auto const s : range(S(Problem.s))) {
                unsigned const bits = two_channels(filter, group, r, s);
                if (s.get() / 2 < fragments::pairs) {
                    this->pairs_[r.get()][s.get() / 2].registers[s.get() % 2].bits = bits;
                } else {
                    this->single_[r.get()].registers[0].bits = bits;
                }
            }
        }
    }

  private:
    // This lane's part of a tap: two channels of the input and one of the output.
    __device__ static unsigned two_channels(element_bits const* filter, fold<C, 8> group, R r,
                                            S s) {
        constexpr axis<R> rows{Problem.r};
        constexpr axis<S> columns{Problem.s};
        auto const lane = for_lane<typename fragments::single_tap::map::lane_index>(this_lane());
        auto const output_channel = lane.template get<K>();
        auto const input_channels = cast<C>(lane.template get<fold<D, 2>>());
        if constexpr (Problem.pass == direction::fprop) {
            using taps = tensor<pair<T> const, axis<K>(most_channels(Problem)), rows, columns,
                                axis<C>(8) / 2>;
            auto const channel =
                taps(reinterpret_cast<pair<T> const*>(filter))[cast<K>(group)][output_channel];
            return (*channel[r][s][input_channels]).bits;
        } else {
            // dgrad: the output channels of fprop are its input channels, and the filter is rotated
            // by 180 degrees.
            using taps =
                tensor<T const, axis<C>(most_channels(Problem)), rows, columns, axis<K>(8)>;
            auto const channels =
                taps(reinterpret_cast<T const*>(filter))[group][input_channels][output_channel];
            auto const tap = channels[R(Problem.r - 1) - r][S(Problem.s - 1) - s];
            return pair<T>(*tap, *tap[C(1)]).bits;
        }
    }
};

} // namespace spio::conv2d
