// The filter of a block's groups in shared memory, and the fragments of a group loaded from it.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. R and S are the rows and columns of
// the filter, C and K the channels of input and output. axis<D>(n) is the dimension D with n
// values; fold<D, n>, or axis / n, counts it in blocks of n. A tensor is a pointer with axes,
// outermost first. A subscript is a position along some of its axes, and returns a cursor: a place
// in the tensor, with an address. Problem (the sizes and options of a call) and Config (how blocks
// and warps share it) are known when a kernel is compiled. A cell is 16 bytes: 8 channels of a
// pixel. A tap is an element of the filter's window. row_index() is the row that a lane gives to
// ldmatrix or stmatrix. has_static_layer() says whether the channels and the padding are known when
// a kernel is compiled.
#pragma once

#include "conv2d/filter_fragments.cuh"
#include "conv2d/tensors.h"
#include "spio/tile/bulk_copy.cuh"

namespace spio::conv2d {

// The filter in cells of 8 channels, in the order of global memory: Channel, row, column, and in
// the cell the 8 channels of the other kind. Channel is the output channel of fprop, which is the
// input channel of dgrad.
template <problem Problem> struct filter_tile {
    static constexpr bool is_backward = Problem.pass == direction::dgrad;
    static constexpr axis<R> r{Problem.r};
    static constexpr axis<S> s{Problem.s};
    using Channel = either<is_backward, C, K>;
    using Group = fold<Channel, 8>;

    template <int Channels, class Cell = cell<Problem>>
    using of_channels = tensor<Cell, axis<Channel>(Channels), r, s>;
    using global = of_channels<most_channels(Problem), cell<Problem> const>;

    // The first of the groups in global memory.
    __device__ static auto group_in(element_bits const* filter, Group first) {
        return global(reinterpret_cast<cell<Problem> const*>(filter))[first];
    }
    // Brings `count` groups into the L2 cache.
    template <arch Arch>
    __device__ static void prefetch(element_bits const* filter, Group first, int count) {
        auto const source = group_in(filter, first);
#pragma unroll 1
        for (auto const group : range(Group(count))) {
            prefetch_bulk<Arch>(of_channels<8, cell<Problem> const>(source[group].get()));
        }
    }
    // Loads `count` groups, at most Groups, beginning with group `first`; `full` counts the bytes
    // that come. Exactly Groups groups take a single copy; fewer take one copy per group.
    template <int Groups, arch Arch>
    __device__ static void load(of_channels<8 * Groups> const& tile, element_bits const* filter,
                                Group first, int count, mbarrier<Arch>& full) {
        auto const source = group_in(filter, first);
        full.arrive_and_expect(count * static_cast<int>(of_channels<8>::num_bytes()));
        bool const is_full_tile =
            (Problem.has_static_layer() && Problem.groups() % Groups == 0) || count == Groups;
        if (is_full_tile) {
            load_bulk(tile, of_channels<8 * Groups, cell<Problem> const>(source.get()), full);
        } else {
#pragma unroll 1
            for (auto const group : range(Group(count))) {
                load_bulk(of_channels<8>(tile[group].get()),
                          of_channels<8, cell<Problem> const>(source[group].get()), full);
            }
        }
    }
};

// The fragments of a group's filter in registers: of pairs of taps and, if rows have an odd number
// of taps, of a single one. In an index of a fragment, D counts the 16 values that a product sums
// over, the channels of two taps; D8 counts the taps, which are Phases columns apart.
template <problem Problem, int Phases = 1>
class filter_from_shared : public filter_fragments<Problem, Phases> {
    using fragments = filter_fragments<Problem, Phases>;

  public:
    // `group` is the cursor at the first cell of a group in a filter_tile.
    template <class Cursor> __device__ explicit filter_from_shared(Cursor const& group) {
#pragma unroll
        for (auto const row : range(R(Problem.r))) {
#pragma unroll
            for (int pair = 0; pair < fragments::pairs; ++pair) {
                load(this->pairs_[row.get()][pair], group, row,
                     S(fragments::pairing().first_tap(pair)));
            }
            if constexpr (fragments::has_single) {
                load(this->single_[row.get()], group, row, S(fragments::pairing().single()));
            }
        }
    }

  private:
    template <class Fragment, class Cursor>
    __device__ static void load(Fragment& taps, Cursor const& group, R r, S s) {
        if constexpr (Problem.pass == direction::fprop) {
            auto const row = Fragment::row_index();
            auto const tap = S(Phases * row.template get<D8>().get());
            taps.load(group[row.template get<K>()][r][s + tap]);
        } else {
            // dgrad: the output channels of fprop are its input channels, and the filter is rotated
            // by 180 degrees.
            auto const row = Fragment::transposed_row_index();
            auto const channel = row.template get<D>();
            auto const tap = S(Phases * D8(channel).get());
            taps.load_transposed(
                group[C(channel.get() % 8)][R(Problem.r - 1) - r][S(Problem.s - 1) - s - tap]);
        }
    }
};

} // namespace spio::conv2d
