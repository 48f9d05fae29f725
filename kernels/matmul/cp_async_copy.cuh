// How the threads of a block copy the tiles of a factor to shared memory by cp.async.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a or b of the product a b, K what the product sums over. A cell is the 16 bytes that
// one instruction copies; a tile has a line of 64 elements (tile_k) for each row or column.
#pragma once

#include "matmul/factor_tiles.cuh"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/thread.cuh"

namespace spio::matmul::cp_async {

// The lines of a matrix in global memory: how many there are, and the elements of each. A line is a
// row or, if the matrix lies by columns, a column.
struct lines {
    unsigned short const* data;
    long long leading;
    int count, width;
};

// The bytes of a cell that lie in a line of this width, from an element on.
__device__ inline int bytes_inside(int element, int width) {
    int const bytes = 2 * (width - element);
    return bytes < 0 ? 0 : bytes > 16 ? 16 : bytes;
}

// Copies the part of a matrix at `first` and `first_k` to a stage. A thread copies cells of 8
// elements, the same of every tile. Elements beyond the matrix become zeros. Tiles are factor_tiles
// of Size rows or columns; with ByLines, lines go along these and not along k.
template <class Tiles, index Outer, int Size, int Threads, bool ByLines>
__device__ __forceinline__ void copy_tile(typename Tiles::ring const& ring,
                                          bounded<STAGE, Tiles::stage.size> stage,
                                          lines const& matrix, Outer first, K first_k) {
    auto const tile = ring[stage];
#pragma unroll
    for (int n = 0; n < 8 * Size / Threads; ++n) {
        int const number = n * Threads + this_thread();
        int const cell = 8 * (number % 8);
        int const line = number / 8;
        // Tiles by lines are in chunks of 64 rows or columns, with a line for each k.
        bounded<Outer, Size> const outer(ByLines ? line / tile_k * tile_k + cell : line);
        bounded<K, tile_k> const k(ByLines ? line % tile_k : cell);
        int const column = ByLines ? (first + outer).get() : (first_k + k).get();
        int const row = ByLines ? (first_k + k).get() : (first + outer).get();
        int const bytes = row < matrix.count ? bytes_inside(column, matrix.width) : 0;
        auto const* const source = matrix.data + row * matrix.leading + column;
        copy_part_async(tile[outer][k], bytes > 0 ? source : matrix.data, bytes);
    }
}

} // namespace spio::matmul::cp_async
