// Fragment maps: which elements of a matrix product's factors and sum each lane of a warp holds.
// SPDX-License-Identifier: Apache-2.0
//
// axis / 8 counts an axis in blocks of 8, and axis % 8 within a block. A compound index is one
// number for several such parts, the last of which varies fastest. A tensor is a pointer with axes.
#pragma once

#include "spio/tensor.h"

namespace spio {

// Whether an axis is plain and has this size: `size` neighbouring values of one dimension.
template <class Axis> constexpr bool has_plain_size(Axis axis, int size) {
    return axis.stride == 1 && axis.size == size && !axis.is_dynamic && !axis.is_ring &&
           axis.memory_stride == dense;
}
// The sides that a factor or sum of one instruction may have: 8 or 16 elements, that is, one or two
// matrices of 8 x 8. A left factor and a sum always have 16 rows.
template <auto Axis>
concept spans_8_or_16 = has_plain_size(Axis, 8) || has_plain_size(Axis, 16);
template <auto I, auto K>
concept left_sides = has_plain_size(I, 16) && spans_8_or_16<K>;
template <auto K, auto J>
concept right_sides = spans_8_or_16<K> && spans_8_or_16<J>;

// The index of a lane, from a position that has one. If the index has fewer values than there are
// lanes, it repeats: of 8 values, lane 8 has that of lane 0.
//     y[for_lane<Sum::lane_index>(this_lane())]
template <class Index, place P>
    requires contains<bases_in<P>, LANE>
constexpr Index for_lane(P const& position) {
    int const lane = unfold(coordinates_of(position).template total<LANE>()).value;
    constexpr bool is_non_negative = true;
    return Index(floor_modulo<Index::size(), is_non_negative>(lane));
}

// A map is in pieces of 8 x 8 elements, of which a lane holds two neighbours each:
//     lane_index         a lane's position within each piece, its two neighbours as one
//     pieces             the pieces in the order of registers, as a tensor of the lane's parts
//     count              the number of pieces
//     rows               the row of 16 bytes that a lane points to for ldmatrix, where memory runs
//                        along K; lanes beyond the last row point to none
//     transposed_rows    the same where memory runs along the other dimension

// The left factor, I x K: 16 x 8 or 16 x 16 elements.
template <auto I, auto K>
    requires left_sides<I, K>
struct left_map {
    using lane_index = compound_index<I % 8, K % 8 / 2>;
    template <class Pair> using pieces = tensor<Pair, K / 8, I / 8>;
    static constexpr int count = K.size / 8 * (I.size / 8);
    using rows = compound_index<K / 8, I>;
    using transposed_rows = compound_index<K / 8, I / 8, K % 8>;
};

// The right factor, K x J, by its columns: 8 or 16 elements a side.
template <auto K, auto J>
    requires right_sides<K, J>
struct right_map {
    using lane_index = compound_index<J % 8, K % 8 / 2>;
    template <class Pair> using pieces = tensor<Pair, J / 8, K / 8>;
    static constexpr int count = J.size / 8 * (K.size / 8);
    using rows = compound_index<J / 8, K / 8, J % 8>;
    using transposed_rows = compound_index<J / 8, K>;
};

// The sum, I x J: 16 x 8 or 16 x 16 elements.
template <auto I, auto J>
    requires left_sides<I, J>
struct sum_map {
    using lane_index = compound_index<I % 8, J % 8 / 2>;
    template <class Pair> using pieces = tensor<Pair, J / 8, I / 8>;
    static constexpr int count = J.size / 8 * (I.size / 8);
};

} // namespace spio
