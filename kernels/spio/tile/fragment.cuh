// Fragments: what the lanes of a warp hold of the factors and the sum of a matrix product.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/matrix.h"
#include "machine/mma.h"
#include "spio/tensor.h"
#include "spio/tile/arch.h"
#include "spio/tile/half.cuh"
#include "spio/tile/thread.cuh"
#include "spio/tile/vector.h"

namespace spio {

// An axis that a fragment may span: so many neighbours of one dimension.
template <class Axis> constexpr bool spans(Axis a, int size) {
    return a.stride == 1 && a.size == size && !a.is_dynamic && !a.is_ring && a.memory_stride == -1;
}
// Two matrices of 8 x 8, or four, on each side of an instruction.
template <auto Axis>
concept spans_8_or_16 = spans(Axis, 8) || spans(Axis, 16);

// Rows of 16 bytes in shared memory: where a lane has a cursor to one of them.
template <class Cursor>
concept row_of_a_matrix = sizeof(typename Cursor::data_type) == 16;

// A fragment in pieces of 8 x 8 elements, of which a lane holds two neighbours each:
//     lane_index    a lane's place within each piece
//     pieces        the pieces, as a tensor of what the lane holds of them
//     row_index     which row of 16 bytes a lane points to when pieces are loaded; the rows run
//     along
//                   the second dimension, or along the first if the memory is transposed
// A fragment is subscripted by its pieces:  *a[K8(1)][I8(0)]
template <factor T, class LaneIndex, class RowIndex, class TransposedRowIndex, auto... Pieces>
struct factor_fragment {
    using data_type = pair<T>;
    using lane_index = LaneIndex;
    using rows = RowIndex;
    using transposed_rows = TransposedRowIndex;
    using pieces = tensor<pair<T>, Pieces...>;
    static constexpr int count = static_cast<int>(pieces::storage_size());

    pair<T> of[count];

    template <place P> constexpr auto operator[](P const& p) { return pieces(of)[p]; }

    // Only as many lanes point to a row as there are rows.
    __device__ static auto row_index() { return RowIndex(machine::lane_index() % (8 * count)); }
    __device__ static auto transposed_row_index() {
        return TransposedRowIndex(machine::lane_index() % (8 * count));
    }

    // From the cursor at this lane's row.
    //     a.load(tile[k][A::row_index()])
    template <row_of_a_matrix Cursor> __device__ void load(Cursor const& row) {
        unsigned bits[count];
        machine::load_matrices(bits, row.get());
        for (int n = 0; n < count; ++n) of[n].bits = bits[n];
    }
    template <row_of_a_matrix Cursor> __device__ void load_transposed(Cursor const& row) {
        unsigned bits[count];
        machine::load_matrices_transposed(bits, row.get());
        for (int n = 0; n < count; ++n) of[n].bits = bits[n];
    }
    template <arch Arch, row_of_a_matrix Cursor>
        requires has_bulk_copies<Arch>
    __device__ void store(Cursor const& row) const {
        unsigned bits[count];
        for (int n = 0; n < count; ++n) bits[n] = of[n].bits;
        machine::store_matrices(row.get(), bits);
    }
    template <arch ArchWithoutStoresOfMatrices, row_of_a_matrix Cursor>
        requires(!has_bulk_copies<ArchWithoutStoresOfMatrices>)
    void store(Cursor const&) const = delete;
};

// The left factor, I x K: 16 x 8 or 16 x 16 elements.
template <factor T, auto I, auto K>
    requires(spans(I, 16)) && spans_8_or_16<K>
struct left_fragment
    : factor_fragment<T, compound_index<I % 8, K % 8 / 2>, compound_index<K / 8, I>,
                      compound_index<K / 8, I / 8, K % 8>, K / 8, I / 8> {};

// The right factor, K x J, by its columns: 8 x 8, 16 x 8 or 16 x 16 elements.
template <factor T, auto K, auto J>
    requires spans_8_or_16<K> && spans_8_or_16<J>
struct right_fragment
    : factor_fragment<T, compound_index<J % 8, K % 8 / 2>, compound_index<J / 8, K / 8, J % 8>,
                      compound_index<J / 8, K>, J / 8, K / 8> {};

// The sum, I x J: 16 x 8 or 16 x 16 floats.
template <auto I, auto J>
    requires(spans(I, 16)) && spans_8_or_16<J>
struct sum_fragment {
    using data_type = vec<float, 2>;
    using lane_index = compound_index<I % 8, J % 8 / 2>;
    using pieces = tensor<vec<float, 2>, J / 8, I / 8>;
    static constexpr int count = static_cast<int>(pieces::storage_size());

    vec<float, 2> of[count];

    template <place P> constexpr auto operator[](P const& p) { return pieces(of)[p]; }
    constexpr void fill(float value) {
        for (int n = 0; n < count; ++n) of[n] = {value, value};
    }
    constexpr void zero() { fill(0); }
    constexpr void add(sum_fragment const& other) {
        for (int n = 0; n < count; ++n) {
            of[n][0] += other.of[n][0];
            of[n][1] += other.of[n][1];
        }
    }
    // Rounded, as the left factor of a product over J, or to be stored by matrices.
    template <factor T> __device__ left_fragment<T, I, J> rounded() const {
        left_fragment<T, I, J> result;
        for (int n = 0; n < count; ++n) result.of[n] = pair<T>(of[n][0], of[n][1]);
        return result;
    }
};

} // namespace spio
