// Fragments of fprop and dgrad: input, filter and accumulators of a group in a warp.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. A fragment is the part of a matrix
// operand that a lane holds. q16 is 16 columns of the output, k8 8 of its channels, and d8 or d16
// the 8 input channels under one tap, or under two. Problem (the sizes and options of a call) and
// Config (how blocks and warps share it) are known when a kernel is compiled.
#pragma once

#include "conv2d/halo.h"
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

// How the taps of a filter's row are paired. A product sums all of them, or, with two phases, every
// second one: those that read an input where zeros lie between the inputs. The pairs of phase 0
// come first. The last tap of a phase of an odd number of taps has no partner.
struct tap_pairing {
    int taps;
    int phases;

    constexpr int taps_of(int phase) const { return divup(taps - phase, phases); }
    constexpr int pairs_of(int phase) const { return taps_of(phase) / 2; }
    constexpr int first_pair(int phase) const { return phase == 0 ? 0 : pairs_of(0); }
    constexpr int pairs() const { return first_pair(phases - 1) + pairs_of(phases - 1); }
    constexpr bool has_single(int phase) const { return taps_of(phase) % 2 == 1; }
    // Of a tap without a partner, its phase, and its column; -1 if there is none.
    constexpr int single_phase() const {
        return has_single(0) ? 0 : phases == 2 && has_single(1) ? 1 : -1;
    }
    constexpr int single() const {
        int const phase = single_phase();
        return phase < 0 ? -1 : phase + phases * (taps_of(phase) - 1);
    }
    // The column of a pair's first tap; the second one is `phases` columns after it.
    constexpr int first_tap(int pair) const {
        int const phase = pair < pairs_of(0) ? 0 : phases - 1;
        return phase + phases * 2 * (pair - first_pair(phase));
    }
};

// The filter of a group: pairs of taps, and the tap of each row that has no partner.
template <problem Problem, int Phases = 1> class filter_fragments {
  public:
    using T = element<Problem>;
    using pair_of_taps = right_fragment<T, d16, k8>;
    using single_tap = right_fragment<T, d8, k8>;

    static constexpr int pairs = tap_pairing{Problem.s, Phases}.pairs();
    static constexpr bool has_single = tap_pairing{Problem.s, Phases}.single() >= 0;
    static constexpr tap_pairing pairing() { return {Problem.s, Phases}; }

    // The column under the tap that a lane addresses in two_taps, from that under the first tap.
    template <class Lane> __device__ static W column_of_tap(Lane const& lane) {
        return W(Problem.dilation_w * lane.template get<D8>().get());
    }
    // Of the output that a lane addresses: 1 if its taps are exchanged, or else 0.
    template <class Lane> __device__ static int exchange(Lane const& lane) {
        return first_tap_of_pair(Problem, lane.template get<Q>().get());
    }
    template <class Lane> __device__ static W column_of_exchanged_tap(Lane const& lane) {
        return W(Problem.dilation_w * (lane.template get<D8>().get() ^ exchange(lane)));
    }
    // Puts the taps in order. A lane holds the pixels of output lane / 4 of each eight.
    __device__ static void restore_taps(two_taps<T>& columns) {
        bool const is_exchanged = this_lane().get() / 4 >= 4;
#pragma unroll
        for (int n = 0; n < 2; ++n) {
            auto const first = columns.registers[n], second = columns.registers[n + 2];
            columns.registers[n] = is_exchanged ? second : first;
            columns.registers[n + 2] = is_exchanged ? first : second;
        }
    }
    __device__ pair_of_taps const& taps(R r, int pair) const { return pairs_[r.get()][pair]; }
    __device__ single_tap const& last_tap(R r) const { return single_[r.get()]; }

    // For each pair of columns of the filter in a phase, and for the last column if it has no
    // partner: loads the input that 16 outputs read under them, and calls add(input, taps), where
    // taps(r) is the filter's fragment in row r. `input` is the place under the first tap, or with
    // Exchanged under the exchanged one. Without AllTaps, the last column is left out.
    template <int Phase = 0, bool AllTaps = true, bool Exchanged = false, class Cursor, class Add>
    __device__ __forceinline__ void for_each_step(Cursor const& input, Add const& add) const {
#pragma unroll
        for (int n = 0; n < pairing().pairs_of(Phase); ++n) {
            two_taps<T> columns;
            columns.load(input[W(Problem.dilation_w * 2 * n)]);
            if constexpr (Exchanged) restore_taps(columns);
            add(columns, [this, n](R r) { return taps(r, pairing().first_pair(Phase) + n); });
        }
        if constexpr (AllTaps && pairing().has_single(Phase)) {
            one_tap<T> columns;
            int const moved = Exchanged ? exchange(two_taps<T>::row_index()) : 0;
            columns.load(input[W(Problem.dilation_w * (pairing().taps_of(Phase) - 1 - moved))]);
            add(columns, [this](R r) { return last_tap(r); });
        }
    }

  protected:
    pair_of_taps pairs_[Problem.r][max(pairs, 1)];
    single_tap single_[Problem.r];
};

} // namespace spio::conv2d
