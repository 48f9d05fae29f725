// The transpose of a matrix, by a swizzled tile in shared memory.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A compound index is one number for several
// indices, the last of which varies fastest. A swizzle or a derived axis moves elements within a
// row, so that lanes read different banks. A fragment is the part of a matrix that one instruction
// loads to the registers of a warp; its pieces are the registers of a lane.
// for_lane<lane_index>(lane) says which elements of a fragment a lane holds. push<T>() takes room
// for a tensor T from the block's shared memory, and returns it and the rest. A block transposes a
// square of side<T> elements, of which vector_size<T> make 16 bytes; `rows` and `columns` are axes
// whose sizes are known only at the launch.
#pragma once

#include "spio/facts.h"
#include "spio/rounding.h"
#include "spio/swizzle.h"
#include "spio/tile/fragment.cuh"
#include "spio/tile/tile_loader.cuh"
#include "spio/views.h"
#include "transpose.h"

namespace spio::transpose {

// The matrix at an address. The sizes count where the type does not know them.
template <class Tensor, class T> __device__ Tensor matrix(T* elements, int rows, int columns) {
    auto* const vectors = reinterpret_cast<typename Tensor::data_type*>(elements);
    if constexpr (Tensor::layout_type::is_static) {
        return Tensor(vectors);
    } else {
        return Tensor(vectors, I(rows), J(columns));
    }
}

// A thread reads a vector of rows of one column, one element at a time.
template <class T, config Config> struct by_elements {
    static constexpr int V = vector_size<T>;
    static constexpr axis<I> i{side<T>};
    static constexpr axis<J> j{side<T>};
    static constexpr int columns = Config.threads / 8; // at a time
    using vector = vec<T, V>;
    using tile = tensor<T, i, swizzle(j / V, i / V), j % V>;
    using thread_index = compound_index<j % columns, i / V>;

    using lane = compound_index<j % 4, i / V>;
    static_assert(bank_conflicts<tile, lane>() == 0);

    template <class Target> __device__ static void store(Target const& y, tile const& x) {
        auto const thread = thread_index(this_thread());
#pragma unroll
        for (auto const step : range(fold<J, columns>(side<T> / columns))) {
            auto const cells = x[thread][step];
            vector column;
#pragma unroll
            for (auto const row : range(I(V))) column[row.get()] = *cells[row];
            if (auto const target = y[thread][step]; target.inbounds()) *target = column;
        }
    }
};

// The block of 8 columns at which a row of a block of rows puts a block of columns, so that lanes
// read different banks.
struct exclusive_or_both {
    template <class Column, class Block, class Row>
    constexpr int operator()(Column column, Block block, Row row) const {
        return column.get() ^ (2 * block.get() + row.get());
    }
};

// A warp loads four 8 x 8 matrices by ldmatrix, transposed. Their rows are chosen so that a lane
// gets eight neighbours of one column, two from each matrix.
template <config Config> struct by_matrices {
    static constexpr axis<I> i{side<half>};
    static constexpr axis<J> j{side<half>};
    static constexpr int columns = 8 * Config.warps(); // at a time
    using vector = vec<half, 8>;
    using tile =
        tensor<half, i, derived(exclusive_or_both(), j / 8).reading(i / 8 % 4, i % 2), j % 8>;
    struct map {
        using lane_index = compound_index<j % 8, i % 32 / 8>;
        template <class Pair> using pieces = tensor<Pair, i % 8 / 2>;
        static int const count = 4;
        using transposed_rows = compound_index<i % 8 / 2, i % 32 / 8, i % 2>;
    };
    using matrices = factor_fragment<half, map>;
    using warp_index = compound_index<j % columns / 8>;

    using rows_of_matrices = vectors_of<vector, tile>;
    static_assert(bank_conflicts<rows_of_matrices, typename map::transposed_rows>() == 0);

    template <class Target> __device__ static void store(Target const& y, tile const& x) {
        auto const warp = warp_index(this_warp().get());
        auto const matrix_rows = as_vectors<vector>(x)[warp][matrices::transposed_row_index()];
        auto const lane = for_lane<typename map::lane_index>(this_lane());
#pragma unroll
        for (auto const step : range(fold<J, columns>(side<half> / columns))) {
#pragma unroll
            for (auto const block : range(fold<I, 32>(side<half> / 32))) {
                matrices column;
                column.load_transposed(matrix_rows[step][block]);
                if (auto const target = y[warp][lane][step][block]; target.inbounds()) {
                    *target = bits_as<vector>(column);
                }
            }
        }
    }
};

// A block copies a square of x to shared memory, and each thread stores parts of its columns to y.
template <class T, config Config, auto Rows = rows, auto Columns = columns>
    requires(Config.threads % 32 == 0 && side<T> % Config.warps() == 0)
__device__ __forceinline__ void run(params<T> const& p) {
    using way = either<Config.by_matrices, by_matrices<Config>, by_elements<T, Config>>;
    constexpr int V = vector_size<T>; // elements of 16 bytes
    using vector = vec<T, V>;
    using source = tensor<vector const, Rows, fold_up(Columns, V)>;
    using target = tensor<vector, Columns, fold_up(Rows, V)>;

    auto const origin = this_block<fold<I, side<T>>, fold<J, side<T>>>();
    auto const x = matrix<source>(p.x, p.rows, p.columns)[origin];
    auto const y = matrix<target>(p.y, p.rows, p.columns)[origin];
    auto const [tile, rest] =
        dynamic_shared_memory<shared_bytes<T>>().template push<typename way::tile>();

    // Rows of 8 vectors fill all banks, wherever the swizzle moves them.
    auto const vectors = as_vectors<vector>(tile);
    tile_loader<decltype(as_vectors<vector>(tile)), Config.threads, decltype(x)>(x, this_thread())
        .load(vectors);
    commit_copies();
    wait_for_copies();
    sync_block();

    way::store(y, tile);
}

} // namespace spio::transpose
