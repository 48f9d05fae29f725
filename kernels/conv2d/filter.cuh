// The filter of a group in the registers of a warp: the right factor of its products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/multiply.cuh"

namespace spio::conv2d {

// The channels of a row of taps, one tap after the other: D(8 s + c). Two neighbouring taps are one
// product of depth 16.
struct D : dim {
    using dim::dim;
};
using D8 = fold<D, 8>;

inline constexpr axis<Q> q16{16};
inline constexpr axis<K> k8{8};
inline constexpr axis<D> d8{8};
inline constexpr axis<D> d16{16};

using one_tap = left_fragment<half, q16, d8>;
using two_taps = left_fragment<half, q16, d16>;
using sums = sum_fragment<q16, k8>;

// Taps in steps: pairs, and the last one alone if their number is odd.
template <problem Problem> class filter_of_group {
  public:
    using pair_of_taps = right_fragment<half, d16, k8>;
    using single_tap = right_fragment<half, d8, k8>;

    static constexpr int pairs = Problem.s / 2;
    static constexpr bool has_single = Problem.s % 2 == 1;

    __device__ filter_of_group(half const* filter, fold<C, 8> group) {
#pragma unroll
        for (auto const r : range(R(Problem.r))) {
#pragma unroll
            for (auto const s : range(S(Problem.s))) {
                unsigned const bits = bits_at(filter, group, r, s);
                if (s.get() / 2 < pairs) {
                    pairs_[r.get()][s.get() / 2].of[s.get() % 2].bits = bits;
                } else {
                    single_[r.get()].of[0].bits = bits;
                }
            }
        }
    }

    __device__ pair_of_taps const& taps(R r, int pair) const { return pairs_[r.get()][pair]; }
    __device__ single_tap const& last_tap(R r) const { return single_[r.get()]; }

  private:
    // Two channels that this lane reads, and one that it makes, of a tap.
    __device__ static unsigned bits_at(half const* filter, fold<C, 8> group, R r, S s) {
        constexpr axis<R> rows{Problem.r};
        constexpr axis<S> columns{Problem.s};
        auto const lane = for_lane<single_tap::map::lane_index>(this_lane());
        auto const made = lane.template get<K>();
        auto const read = cast<C>(lane.template get<fold<D, 2>>());
        if constexpr (Problem.pass == direction::fprop) {
            using taps = tensor<half2 const, axis<K>(Problem.c), rows, columns, axis<C>(8) / 2>;
            auto const at = taps(reinterpret_cast<half2 const*>(filter))[cast<K>(group)][made];
            return (*at[r][s][read]).bits;
        } else {
            // The other way round: what fprop makes is read, and the filter meets it backwards.
            using taps = tensor<half const, axis<C>(Problem.c), rows, columns, axis<K>(8)>;
            auto const at = taps(filter)[group][read][made];
            auto const tap = at[R(Problem.r - 1) - r][S(Problem.s - 1) - s];
            return half2(*tap, *tap[C(1)]).bits;
        }
    }

    pair_of_taps pairs_[Problem.r][max(pairs, 1)];
    single_tap single_[Problem.r];
};

} // namespace spio::conv2d
