// Fragment maps: which lane of a warp holds which elements of a matrix product, and where.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace spio {

// An axis that a fragment may span: so many neighbours of one dimension.
template <class Axis> constexpr bool spans(Axis a, int size) {
    return a.stride == 1 && a.size == size && !a.is_dynamic && !a.is_ring && a.memory_stride == -1;
}
// Two matrices of 8 x 8, or four, on each side of an instruction.
template <auto Axis>
concept spans_8_or_16 = spans(Axis, 8) || spans(Axis, 16);

// A fragment in pieces of 8 x 8 elements, of which a lane holds two neighbours each:
//     lane_index    a lane's place within each piece
//     pieces        the pieces, as a tensor of what the lane holds of them
template <class LaneIndex, auto... Pieces> struct fragment_map {
    using lane_index = LaneIndex;
    template <class Neighbours> using pieces = tensor<Neighbours, Pieces...>;
};

// What is loaded by rows of 16 bytes, each lane pointing to one:
//     row_index     which one; the rows run along the second dimension, or along the first if the
//                   memory is transposed
template <class Map, class RowIndex, class TransposedRowIndex> struct factor_map : Map {
    using row_index = RowIndex;
    using transposed_row_index = TransposedRowIndex;
};

// The left factor, I x K: 16 x 8 or 16 x 16 elements.
template <auto I, auto K>
    requires(spans(I, 16)) && spans_8_or_16<K>
using left_map = factor_map<fragment_map<compound_index<I % 8, K % 8 / 2>, K / 8, I / 8>,
                            compound_index<K / 8, I>, compound_index<K / 8, I / 8, K % 8>>;

// The right factor, K x J, by its columns: 8 x 8, 16 x 8 or 16 x 16 elements.
template <auto K, auto J>
    requires spans_8_or_16<K> && spans_8_or_16<J>
using right_map = factor_map<fragment_map<compound_index<J % 8, K % 8 / 2>, J / 8, K / 8>,
                             compound_index<J / 8, K / 8, J % 8>, compound_index<J / 8, K>>;

// The sum, I x J: 16 x 8 or 16 x 16 elements.
template <auto I, auto J>
    requires(spans(I, 16)) && spans_8_or_16<J>
using sum_map = fragment_map<compound_index<I % 8, J % 8 / 2>, J / 8, I / 8>;

} // namespace spio
