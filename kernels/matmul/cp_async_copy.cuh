// How the threads of a block copy the tiles of a factor to shared memory by cp.async.
// SPDX-License-Identifier: Apache-2.0
//
// A factor is a or b of the product a b, K what the product sums over. A cell is the 16 bytes that
// one instruction copies; a tile has a line of 64 elements (tile_k) for each row or column. A stage
// is one place of a ring in shared memory. The elements of a line that a tile has take line_bytes =
// 128 bytes. bounded<D, n> is a value of D below n.
#pragma once

#include "matmul/factor_tiles.cuh"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/partial_copy.cuh"
#include "spio/tile/thread.cuh"

namespace spio::matmul::cp_async {

// The lines of a matrix in global memory: how many there are, and the elements of each. A line is a
// row or, if the matrix lies by columns, a column.
struct lines {
    void const* data;
    long long leading;
    int count, width;
};

// A cell of 8 elements among those of a stage, in the order of memory.
struct CELL : dim {
    using dim::dim;
};
// The ring of a factor as plain cells. Its swizzle repeats every 8 lines of 8 cells, so the cells
// of a thread that are a multiple of 8 lines apart are a constant distance apart.
template <class Tiles, int Size>
using cells_of =
    tensor<typename Tiles::ring::data_type, axis<STAGE>(Tiles::stage.size), axis<CELL>(8 * Size)>;

// The bytes of a cell of 8 elements, so many of which are left in its line.
__device__ inline int bytes_inside(int elements) { return max(0, min(16, 2 * elements)); }

// A part of a cell, of as many bytes as its address in global memory is a multiple of.
struct PART : dim {
    using dim::dim;
};
// Copies the first bytes of a cell from an address that is a multiple of Alignment bytes. The
// others become zeros. Single elements are read at once, all else is copied asynchronously.
template <int Alignment, class To>
__device__ __forceinline__ void copy_cell(To const& cell, void const* source, int bytes) {
    if constexpr (Alignment >= 16) {
        copy_part_async(cell, source, bytes);
    } else if constexpr (Alignment >= 4) {
        constexpr int count = 16 / Alignment;
        using part = vec<unsigned short, Alignment / 2>;
        tensor<part, axis<PART>(count)> const parts(reinterpret_cast<part*>(cell.get()));
#pragma unroll
        for (int n = 0; n < count; ++n) {
            copy_some_async(parts[PART(n)], static_cast<part const*>(source) + n,
                            max(0, min(Alignment, bytes - n * Alignment)));
        }
    } else {
        vec<unsigned short, 8> elements = {};
#pragma unroll
        for (int n = 0; n < 8; ++n) {
            if (2 * n < bytes) elements[n] = static_cast<unsigned short const*>(source)[n];
        }
        *reinterpret_cast<vec<unsigned short, 8>*>(cell.get()) = elements;
    }
}

// The cells that a thread copies of each tile of a factor along k: first those of the last tile,
// which may be incomplete, and then those of the others, in their order. Tiles are factor_tiles of
// Size rows or columns; with ByLines, lines go along these and not along k. Elements beyond the
// matrix become zeros, and so do tiles that are not there.
template <class Tiles, index Outer, int Size, int Threads, int Alignment, bool ByLines>
class thread_copies {
    // The lines that all threads together copy at a time: a line of a tile has 8 cells.
    static constexpr int lines_at_once = Threads / 8;
    static_assert(lines_at_once % 8 == 0 && tile_k % lines_at_once == 0);
    using stage = bounded<STAGE, Tiles::stage.size>;

  public:
    static constexpr int count = Size / lines_at_once;

    __device__ thread_copies(typename Tiles::ring const& ring, lines const& matrix, Outer first)
        : cells_(ring.get()),
          first_(static_cast<int>(ring[bounded<Outer, lines_at_once>(this_thread() / 8)]
                                      [bounded<fold<K, 8>, 8>(this_thread() % 8)]
                                          .offset())),
          source_(static_cast<unsigned char const*>(matrix.data) + 16 * (this_thread() % 8) +
                  2 * (first.get() + this_thread() / 8) * matrix.leading),
          distance_(static_cast<unsigned>(2 * lines_at_once * matrix.leading)),
          inside_(0),
          elements_(matrix.width - 8 * (this_thread() % 8)) {
        int const line = first.get() + this_thread() / 8;
        for (int n = 0; n < count; ++n)
            inside_ |= static_cast<unsigned>(line + n * lines_at_once < matrix.count) << n;
    }
    // Copies the n-th cell of the last of `depth` tiles.
    __device__ __forceinline__ void copy_last(int n, int depth, stage stage) const {
        copy_cell<Alignment>(place(n, stage), source_ + n * distance_ + (depth - 1LL) * line_bytes,
                             has_line(n) ? bytes_inside(elements_ - (depth - 1) * tile_k) : 0);
    }
    // Copies the n-th cell of the next tile; the last one leads to the tile after it.
    __device__ __forceinline__ void copy(int n, stage stage) {
        copy_cell<Alignment>(place(n, stage), source_ + n * distance_, has_line(n) ? 16 : 0);
        if (n == count - 1) source_ += line_bytes;
    }

  private:
    cells_of<Tiles, Size> cells_;
    CELL first_; // of this thread, in a stage
    unsigned char const* source_;
    unsigned long long distance_; // of lines that are copied one after the other, in bytes
    unsigned inside_;             // bit n: the matrix has the line of the n-th cell
    int elements_;                // from this cell on to the end of the line

    __device__ bool has_line(int n) const { return (inside_ >> n & 1) != 0; }
    __device__ auto place(int n, stage stage) const {
        return cells_[stage][first_ + CELL(8 * lines_at_once * n)];
    }
};

// Tiles by lines are in chunks of 64 rows or columns, with a line for each k.
template <class Tiles, index Outer, int Size, int Threads, int Alignment>
class thread_copies<Tiles, Outer, Size, Threads, Alignment, true> {
    static constexpr int lines_at_once = Threads / 8;
    static_assert(lines_at_once % 8 == 0 && tile_k % lines_at_once == 0);
    static constexpr int chunks = Size / 64;
    using stage = bounded<STAGE, Tiles::stage.size>;

  public:
    static constexpr int count = Size / lines_at_once;

    __device__ thread_copies(typename Tiles::ring const& ring, lines const& matrix, Outer first)
        : cells_(ring.get()),
          first_(static_cast<int>(ring[bounded<K, lines_at_once>(this_thread() / 8)]
                                      [bounded<fold<Outer, 8>, 8>(this_thread() % 8)]
                                          .offset())),
          source_(static_cast<unsigned char const*>(matrix.data) + 2 * first.get() +
                  16 * (this_thread() % 8) + this_thread() / 8 * (2 * matrix.leading)),
          distance_(static_cast<unsigned>(2 * lines_at_once * matrix.leading)),
          elements_(matrix.width - first.get() - 8 * (this_thread() % 8)),
          lines_(matrix.count - this_thread() / 8) {}
    // All chunks of some lines are copied before the next lines.
    __device__ __forceinline__ void copy_last(int n, int depth, stage stage) const {
        int const part = n / chunks, chunk = n % chunks;
        int const line = (depth - 1) * tile_k + lines_at_once * part;
        auto const parts = (depth - 1LL) * (tile_k / lines_at_once) + part;
        copy_cell<Alignment>(place(n, stage), source_ + parts * distance_ + chunk * line_bytes,
                             line < lines_ ? bytes_inside(elements_ - 64 * chunk) : 0);
    }
    __device__ __forceinline__ void copy(int n, stage stage) {
        int const chunk = n % chunks;
        copy_cell<Alignment>(place(n, stage), source_ + chunk * line_bytes,
                             bytes_inside(elements_ - 64 * chunk));
        if (chunk == chunks - 1) source_ += distance_;
    }

  private:
    cells_of<Tiles, Size> cells_;
    CELL first_; // of this thread, in a stage
    unsigned char const* source_;
    unsigned long long distance_; // of lines that are copied one after the other, in bytes
    int elements_;                // from the first chunk's cell on to the end of the line
    int lines_;                   // from this thread's first line on to the end of the matrix

    __device__ auto place(int n, stage stage) const {
        int const part = n / chunks, chunk = n % chunks;
        return cells_[stage][first_ + CELL(8 * (tile_k * chunk + lines_at_once * part))];
    }
};

} // namespace spio::matmul::cp_async
