// A thread's share of the cells of a row: where they are in a tensor, found once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tensor.h"

namespace spio::conv2d {

// What the first digit of an index counts, and how many offsets there are to a step of it.
template <class Index> struct first_digit;
template <class First, class... Rest> struct first_digit<linear_index<First, Rest...>> {
    using type = dimension_of<First>;
    static constexpr int offsets = (1 * ... * bound_of<Rest>);
};

// Threads deal the cells of an Index out among them, one after the other. Those of a thread move
// together, by whole rows.
//     row_share<CellMade, 256, decltype(y)> mine(y, this_thread());
//     mine[0], mine[1], … are its cells of this row;  mine.step(P(1));
// Those of a whole tile are all there.
template <class Index, int Threads, class Cursor, bool IsWhole = false> class row_share {
    using data = typename Cursor::data_type;
    using layout = typename Cursor::layout_type;
    using First = typename first_digit<Index>::type;
    // From one of a thread's cells to the next: then one address tells them all.
    static constexpr bool by_whole_steps = Threads % first_digit<Index>::offsets == 0;
    static constexpr int steps = Threads / first_digit<Index>::offsets;

  public:
    static constexpr int count = divup(Index::size(), Threads);

    __device__ row_share(Cursor const& origin, int thread) : shape_(origin.shape()) {
#pragma unroll
        for (int n = 0; n < count; ++n) {
            auto const at = cell(origin, n, thread);
            if constexpr (!IsWhole) {
                inside_ |= static_cast<unsigned>(is_mine(n, thread) && at.inbounds()) << n;
            }
            if (n < addresses) cells_[n] = at.get();
        }
    }

    __device__ auto operator[](int n) const {
        if constexpr (by_whole_steps) {
            return base_cursor<data, layout>(cells_[0], shape_)[First(n * steps)];
        } else {
            return base_cursor<data, layout>(cells_[n], shape_);
        }
    }
    // Whether there is such a cell; and whether it is in the tensor too.
    __device__ static bool is_mine(int n, int thread) {
        return Index::size() % Threads == 0 || n * Threads + thread < Index::size();
    }
    __device__ bool has(int n) const
        requires(!IsWhole)
    {
        return (inside_ >> n & 1) != 0;
    }
    template <index D> __device__ void step(D d) {
#pragma unroll
        for (int n = 0; n < addresses; ++n) {
            cells_[n] = base_cursor<data, layout>(cells_[n], shape_).step(d).get();
        }
    }

  private:
    static_assert(count <= 32, "a thread has at most 32 cells of a row: use more threads");
    static constexpr int addresses = by_whole_steps ? 1 : count;

    __device__ static auto cell(Cursor const& origin, int n, int thread) {
        if constexpr (by_whole_steps) {
            return origin[Index(thread)][First(n * steps)];
        } else {
            return origin[Index(n * Threads + thread)];
        }
    }

    data* cells_[addresses];
    layout shape_;
    unsigned inside_ = 0;
};

} // namespace spio::conv2d
