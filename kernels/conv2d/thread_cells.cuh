// The cells of a row that a thread copies: their addresses in a tensor, computed once.
// SPDX-License-Identifier: Apache-2.0
//
// A compound index is one number for several indices, such as the column and the group of a cell. A
// cursor is a place in a tensor: a subscript adds a position to it, and step() moves it. A cell is
// the 16 bytes that one instruction copies. rebase() makes a cursor that holds its address,
// computed once.
#pragma once

#include "spio/base_cursor.h"
#include "spio/tensor.h"

namespace spio::conv2d {

// The dimension of a compound index that varies slowest, and by how much the linear index grows
// when it grows by one.
template <class Index> struct first_digit;
template <class First, class... Rest> struct first_digit<linear_index<First, Rest...>> {
    using type = dimension_of<First>;
    static constexpr int offsets = (1 * ... * bound_of<Rest>);
};

// The cells of a row, which Index numbers, dealt out to threads in turn. A step moves all cells of
// a thread, by whole rows.
//     thread_cells<OutputCell, 256, decltype(y)> cells(y, this_thread());
//     cells[0], cells[1], … are this thread's cells of the row;  cells.step(P(1));
// With AllExist, every cell of the row exists in the tensor, and no bounds are kept.
template <class Index, int Threads, class Cursor, bool AllExist = false> class thread_cells {
    using data = typename Cursor::data_type;
    using layout = typename Cursor::layout_type;
    using First = typename first_digit<Index>::type;
    // Whether the addresses of a thread's cells are a constant distance apart. Then one address
    // serves all of them.
    static constexpr bool is_regular = Threads % first_digit<Index>::offsets == 0;
    // Between neighbouring cells of a thread, in the dimension that varies slowest.
    static constexpr int steps = Threads / first_digit<Index>::offsets;

  public:
    static constexpr int count = divup(Index::size(), Threads);

    __device__ thread_cells(Cursor const& origin, int thread) : shape_(origin.shape()) {
#pragma unroll
        for (int n = 0; n < count; ++n) {
            auto const position = cell(origin, n, thread);
            if constexpr (!AllExist) {
                in_bounds_ |= static_cast<unsigned>(is_mine(n, thread) && position.inbounds()) << n;
            }
            if (n < addresses) cells_[n] = position.get();
        }
    }

    // The thread's n-th cell.
    __device__ auto operator[](int n) const {
        if constexpr (is_regular) {
            return place(cells_[0], shape_)[First(n * steps)];
        } else {
            return place(cells_[n], shape_);
        }
    }
    // Whether the thread has an n-th cell, and whether that cell is in the tensor too.
    __device__ static bool is_mine(int n, int thread) {
        return Index::size() % Threads == 0 || n * Threads + thread < Index::size();
    }
    __device__ bool has(int n) const
        requires(!AllExist)
    {
        return (in_bounds_ >> n & 1) != 0;
    }
    template <index D> __device__ void step(D distance) {
#pragma unroll
        for (int n = 0; n < addresses; ++n) {
            cells_[n] = place(cells_[n], shape_).step(distance).get();
        }
    }

  private:
    static_assert(count <= 32, "a thread has at most 32 cells of a row: use more threads");
    static constexpr int addresses = is_regular ? 1 : count;

    // The cursor at the n-th cell of a thread.
    __device__ static auto cell(Cursor const& origin, int n, int thread) {
        if constexpr (is_regular) {
            return origin[Index(thread)][First(n * steps)];
        } else {
            return origin[Index(n * Threads + thread)];
        }
    }
    using place = decltype(cell(declval<Cursor>(), 0, 0).rebase());

    data* cells_[addresses];
    layout shape_;
    unsigned in_bounds_ = 0;
};

} // namespace spio::conv2d
