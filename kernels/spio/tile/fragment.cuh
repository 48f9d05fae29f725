// Fragments: the parts of the factors and of the accumulator of a matrix product that lanes hold.
// SPDX-License-Identifier: Apache-2.0
//
// A matrix is in pieces of 8 x 8 elements. A map says which elements of a piece a lane holds, and
// in which registers. Its rows and columns are axes: dimensions with a size, 8 or 16. A place is an
// index, or anything that has coordinates. A function that is deleted is an error message: the
// names of its template parameters say what is wrong.
#pragma once

#include "machine/matrix.h"
#include "machine/mma.h"
#include "spio/tile/arch.h"
#include "spio/tile/fragment_map.h"
#include "spio/tile/half.cuh"
#include "spio/tile/thread.cuh"
#include "spio/tile/vector.h"

namespace spio {

// A cursor to a row of 16 bytes of a matrix in shared memory, as ldmatrix takes it from a lane.
template <class Cursor>
concept row_of_a_matrix = sizeof(typename Cursor::data_type) == 16;

// A lane's part of a factor: of each 8 x 8 piece of the matrix, the pair of neighbouring elements
// that Map assigns to the lane. A subscript selects a piece: K8 is fold<K, 8>,
// which counts K in blocks of 8, and I8 the same of I.
//     *a[K8(1)][I8(0)]
template <factor T, class Map> struct factor_fragment {
    using data_type = pair<T>;
    using map = Map;
    using lane_index = typename Map::lane_index;
    using pieces = typename Map::template pieces<pair<T>>;
    static constexpr int count = Map::count;

    pair<T> registers[count];

    template <place P> constexpr auto operator[](P const& p) { return pieces(registers)[p]; }

    // The row that this lane points to in load and in load_transposed.
    __device__ static auto row_index() { return for_lane<typename Map::rows>(this_lane()); }
    __device__ static auto transposed_row_index() {
        return for_lane<typename Map::transposed_rows>(this_lane());
    }

    // Loads the matrix, from the cursor at this lane's row.
    //     a.load(tile[k][A::row_index()])
    template <row_of_a_matrix Cursor> __device__ void load(Cursor const& row) {
        words_in<factor_fragment> words;
        machine::load_matrices(words.values, row.get());
        *this = bits_as<factor_fragment>(words);
    }
    template <row_of_a_matrix Cursor> __device__ void load_transposed(Cursor const& row) {
        words_in<factor_fragment> words;
        machine::load_matrices_transposed(words.values, row.get());
        *this = bits_as<factor_fragment>(words);
    }
    // Stores the matrix by stmatrix.
    template <arch Arch, row_of_a_matrix Cursor>
        requires has_bulk_copies<Arch>
    __device__ void store(Cursor const& row) const {
        machine::store_matrices(row.get(), bits_as<words_in<factor_fragment>>(*this).values);
    }
    template <arch ArchWithoutStoresOfMatrices, row_of_a_matrix Cursor>
        requires(!has_bulk_copies<ArchWithoutStoresOfMatrices>)
    void store(Cursor const&) const = delete;
};

// The factors of a product: the left one is I x K, the right one K x J.
template <factor T, auto I, auto K>
    requires left_sides<I, K>
struct left_fragment : factor_fragment<T, left_map<I, K>> {};
template <factor T, auto K, auto J>
    requires right_sides<K, J>
struct right_fragment : factor_fragment<T, right_map<K, J>> {};

// A lane's part of an accumulator: of each 8 x 8 piece, two neighbouring floats.
template <auto I, auto J>
    requires left_sides<I, J>
struct sum_fragment {
    using data_type = vec<float, 2>;
    using map = sum_map<I, J>;
    using lane_index = typename map::lane_index;
    using pieces = typename map::template pieces<vec<float, 2>>;
    static constexpr int count = map::count;

    vec<float, 2> registers[count];

    template <place P> constexpr auto operator[](P const& p) { return pieces(registers)[p]; }
    constexpr void fill(float value) {
        for (int n = 0; n < count; ++n) registers[n] = {value, value};
    }
    constexpr void zero() { fill(0); }
    constexpr void add(sum_fragment const& other) {
        for (int n = 0; n < count; ++n) {
            registers[n][0] += other.registers[n][0];
            registers[n][1] += other.registers[n][1];
        }
    }
    // Rounds the sum to a left factor of a following product, which stmatrix can store too.
    template <factor T> __device__ left_fragment<T, I, J> rounded() const {
        return rounded<T>([](float first, float second) { return pair<T>(first, second); });
    }
    // `round` makes a pair<T> of two neighbouring numbers.
    template <factor T, class Round>
    __device__ left_fragment<T, I, J> rounded(Round const& round) const {
        left_fragment<T, I, J> result;
        for (int n = 0; n < count; ++n)
            result.registers[n] = round(registers[n][0], registers[n][1]);
        return result;
    }
};

} // namespace spio
