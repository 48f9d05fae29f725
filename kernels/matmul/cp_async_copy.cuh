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
    void const* data;
    long long leading;
    int count, width;
};

// The bytes of a cell of 8 elements, so many of which are left in its line.
__device__ inline int bytes_inside(int elements) { return max(0, min(16, 2 * elements)); }

// The cells that a thread copies of each tile of a factor, step by step along k, one after the
// other. Tiles are factor_tiles of Size rows or columns; with ByLines, lines go along these and not
// along k. Elements beyond the matrix become zeros, also in steps beyond its end.
template <class Tiles, index Outer, int Size, int Threads, bool ByLines> class thread_copies {
    // The lines that all threads together copy at a time: a line of a tile has 8 cells.
    static constexpr int lines_at_once = Threads / 8;
    using stage = bounded<STAGE, Tiles::stage.size>;

  public:
    static constexpr int count = Size / lines_at_once;

    __device__ thread_copies(typename Tiles::ring const& ring, lines const& matrix, Outer first)
        : tile_(ring[bounded<Outer, lines_at_once>(this_thread() / 8)]
                    [bounded<fold<K, 8>, 8>(this_thread() % 8)]),
          source_(static_cast<unsigned char const*>(matrix.data) + 16 * (this_thread() % 8) +
                  2 * (first.get() + this_thread() / 8) * matrix.leading),
          distance_(2 * lines_at_once * matrix.leading),
          lines_(matrix.count - first.get() - this_thread() / 8),
          elements_(matrix.width - 8 * (this_thread() % 8)) {}
    // Copies the n-th cell of a step; the last one leads to the next step.
    __device__ __forceinline__ void copy(int n, stage stage) {
        bool const is_inside = n * lines_at_once < lines_;
        copy_part_async(tile_[stage][fold<Outer, lines_at_once>(n)], source_,
                        is_inside ? bytes_inside(elements_) : 0);
        source_ += distance_;
        if (n == count - 1) {
            source_ += line_bytes - count * distance_;
            elements_ -= tile_k;
        }
    }

  private:
    using cursor = decltype(declval<typename Tiles::ring>()[bounded<Outer, lines_at_once>(0)]
                                                           [bounded<fold<K, 8>, 8>(0)]);
    cursor tile_;
    unsigned char const* source_;
    long long distance_; // of lines that are copied one after the other, in bytes
    int lines_;          // from the first line on to the end of the matrix
    int elements_;       // from this cell on to the end of the line
};

// Tiles by lines are in chunks of 64 rows or columns, with a line for each k.
template <class Tiles, index Outer, int Size, int Threads>
class thread_copies<Tiles, Outer, Size, Threads, true> {
    static constexpr int lines_at_once = Threads / 8;
    using stage = bounded<STAGE, Tiles::stage.size>;

  public:
    static constexpr int count = Size / lines_at_once;

    __device__ thread_copies(typename Tiles::ring const& ring, lines const& matrix, Outer first)
        : tile_(ring[bounded<K, lines_at_once>(this_thread() / 8)]
                    [bounded<fold<Outer, 8>, 8>(this_thread() % 8)]),
          source_(static_cast<unsigned char const*>(matrix.data) + 2 * first.get() +
                  16 * (this_thread() % 8) + this_thread() / 8 * (2 * matrix.leading)),
          distance_(2 * lines_at_once * matrix.leading),
          elements_(matrix.width - first.get() - 8 * (this_thread() % 8)),
          lines_(matrix.count - this_thread() / 8) {}
    __device__ __forceinline__ void copy(int n, stage stage) {
        // All chunks of some lines are copied before the next lines.
        constexpr int chunks = Size / 64;
        int const part = n / chunks, chunk = n % chunks;
        bool const is_inside = part * lines_at_once < lines_;
        copy_part_async(tile_[stage][fold<Outer, 64>(chunk)][fold<K, lines_at_once>(part)],
                        source_ + chunk * line_bytes,
                        is_inside ? bytes_inside(elements_ - 64 * chunk) : 0);
        if (chunk == chunks - 1) source_ += distance_;
        if (n == count - 1) lines_ -= tile_k;
    }

  private:
    using cursor = decltype(declval<typename Tiles::ring>()[bounded<K, lines_at_once>(0)]
                                                           [bounded<fold<Outer, 8>, 8>(0)]);
    cursor tile_;
    unsigned char const* source_;
    long long distance_; // of lines that are copied one after the other, in bytes
    int elements_;       // from the first chunk's cell on to the end of the line
    int lines_;          // from this thread's first line on to the end of the matrix
};

} // namespace spio::matmul::cp_async
