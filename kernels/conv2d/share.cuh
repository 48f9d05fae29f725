// A thread's share of the cells of a row: where they are in a tensor, found once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace spio::conv2d {

// Threads deal the cells of an Index out among them, one after the other. Those of a thread move
// together, by whole rows.
//     share<CellMade, 256, decltype(y)> mine(y, this_thread());
//     mine[0], mine[1], … are its cells of this row;  mine.step(P(1));
template <class Index, int Threads, class Cursor> class share {
    using data = typename Cursor::data_type;
    using layout = typename Cursor::layout_type;

  public:
    static constexpr int count = divup(Index::size(), Threads);

    __device__ share(Cursor const& origin, int thread) : shape_(origin.shape()) {
#pragma unroll
        for (int n = 0; n < count; ++n) {
            auto const cell = origin[Index(n * Threads + thread)];
            bool const is_mine =
                Index::size() % Threads == 0 || n * Threads + thread < Index::size();
            inside_ |= static_cast<unsigned>(is_mine && cell.inbounds()) << n;
            cells_[n] = cell.get();
        }
    }

    __device__ auto operator[](int n) const { return base_cursor<data, layout>(cells_[n], shape_); }
    // Whether there is such a cell, in the tensor too.
    __device__ bool has(int n) const { return (inside_ >> n & 1) != 0; }
    template <index D> __device__ void step(D d) {
#pragma unroll
        for (int n = 0; n < count; ++n) cells_[n] = (*this)[n].step(d).get();
    }

  private:
    static_assert(count <= 32, "a thread has at most 32 cells of a row: use more threads");

    data* cells_[count];
    layout shape_;
    unsigned inside_ = 0;
};

} // namespace spio::conv2d
