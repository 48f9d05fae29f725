// The filter of some groups in shared memory, and that of one in the registers of a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/filter.cuh"
#include "conv2d/tensors.h"
#include "spio/tile/bulk_copy.cuh"

namespace spio::conv2d {

// In cells of 8 channels: fprop reads them, dgrad makes them.
template <problem Problem> struct filter_tile {
    static constexpr bool is_backward = Problem.pass == direction::dgrad;
    static constexpr axis<R> r{Problem.r};
    static constexpr axis<S> s{Problem.s};
    using Channel = typename either<is_backward, C, K>::type;
    using Group = fold<Channel, 8>;

    template <int Channels, class Cell = half8>
    using of_channels = tensor<Cell, axis<Channel>(Channels), r, s>;
    using global = of_channels<Problem.c, half8 const>;

    // So many groups from the first on, of at most Groups; they come together where they are all.
    template <int Groups, arch Arch>
    __device__ static void load(of_channels<8 * Groups> const& to, half const* filter, Group first,
                                int groups, mbarrier<Arch>& arrived) {
        auto const from = global(reinterpret_cast<half8 const*>(filter))[first];
        arrived.arrive_and_expect(groups * static_cast<int>(of_channels<8>::num_bytes()));
        bool const all_are_there = Problem.groups() % Groups == 0 || groups == Groups;
        if (all_are_there) {
            load_bulk(to, of_channels<8 * Groups, half8 const>(from.get()), arrived);
        } else {
#pragma unroll 1
            for (auto const group : range(Group(groups))) {
                load_bulk(of_channels<8>(to[group].get()),
                          of_channels<8, half8 const>(from[group].get()), arrived);
            }
        }
    }
};

// Taps in steps: pairs, and the last one alone if their number is odd.
template <problem Problem> class filter_fragments {
  public:
    using pair_of_taps = right_fragment<half, d16, k8>;
    using single_tap = right_fragment<half, d8, k8>;

    static constexpr int pairs = Problem.s / 2;
    static constexpr bool has_single = Problem.s % 2 == 1;

    // From the filter of a group, as it lies in shared memory.
    template <class Cursor> __device__ explicit filter_fragments(Cursor const& group) {
#pragma unroll
        for (auto const row : range(R(Problem.r))) {
#pragma unroll
            for (int pair = 0; pair < pairs; ++pair) {
                load(pairs_[row.get()][pair], group, row, S(2 * pair));
            }
            if constexpr (has_single) load(single_[row.get()], group, row, S(Problem.s - 1));
        }
    }

    __device__ pair_of_taps const& taps(R r, int pair) const { return pairs_[r.get()][pair]; }
    __device__ single_tap const& last_tap(R r) const { return single_[r.get()]; }

  private:
    template <class Fragment, class Cursor>
    __device__ static void load(Fragment& taps, Cursor const& group, R r, S s) {
        if constexpr (Problem.pass == direction::fprop) {
            auto const row = Fragment::row_index();
            auto const tap = S(row.template get<D8>().get());
            taps.load(group[row.template get<K>()][r][s + tap]);
        } else {
            // The other way round: what fprop makes is read, and the filter meets it backwards.
            auto const row = Fragment::transposed_row_index();
            auto const channel = row.template get<D>();
            auto const tap = S(D8(channel).get());
            taps.load_transposed(
                group[C(channel.get() % 8)][R(Problem.r - 1) - r][S(Problem.s - 1) - s - tap]);
        }
    }

    pair_of_taps pairs_[Problem.r][max(pairs, 1)];
    single_tap single_[Problem.r];
};

} // namespace spio::conv2d
