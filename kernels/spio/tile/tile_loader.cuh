// A tile loader: the elements of a tile that each thread copies, whose addresses are computed once.
// SPDX-License-Identifier: Apache-2.0
//
// A tensor is a pointer with typed axes, a tile a small one, and a cursor a position in a tensor. A
// fold counts a dimension in blocks; a traversal numbers all elements of the tile. A place is an
// index, or anything that has coordinates.
#pragma once

#include "spio/tile/async_copy.cuh"
#include "spio/tile/traversal.h"

namespace spio {

// Threads copy a tile from a global tensor. Elements are dealt out to threads in turn, dimension by
// dimension, whatever the tile's folds. Those outside the tensor at the loader's origin become
// zero; a step does not check again, so step along dimensions in which the tile stays inside.
//     tile_loader<x_tile, 128, decltype(x)> loader(x[origin], this_thread());
//     loader.load(tiles[stage]);  commit_copies();  loader.step(C16(1));
template <class Tile, int Threads, class Source> class tile_loader {
    using layout = typename Tile::layout_type;
    using traversal = typename traversal_over<layout, typename Tile::bases>::type;
    using source_at_thread = decltype(declval<Source>()[traversal()]);

  public:
    static constexpr int elements = traversal::size();
    static constexpr int loads = (elements + Threads - 1) / Threads;
    static_assert(loads <= 32, "a loader asks for at most 32 elements a thread: use more threads");

    __device__ tile_loader(Source const& source, int thread)
        : source_(source[traversal(is_even ? thread : 0)]), thread_(thread) {
#pragma unroll
        for (int n = 0; n < loads; ++n) {
            bool const is_valid = is_mine(n) && source_[position(n)].inbounds();
            valid_ |= static_cast<unsigned>(is_valid) << n;
        }
    }

    // Copies to a tile, or to a cursor at one.
    template <class To> __device__ void load(To const& tile) const {
        auto const mine = tile[traversal(is_even ? thread_ : 0)];
#pragma unroll
        for (int n = 0; n < loads; ++n) {
            if (elements % Threads == 0 || is_mine(n)) {
                copy_async(mine[position(n)], source_[position(n)], (valid_ >> n & 1) != 0);
            }
        }
    }
    template <place P> __device__ void step(P const& distance) { source_.step(distance); }

  private:
    // Whether a thread's n-th element is a constant offset from its first. This is so if the
    // threads fill whole digits of the number that counts the tile's elements.
    static constexpr bool fills_digits() {
        int right = 1;
        auto const& table = layout::table;
        for (int base = table.base_count - 1; base >= 0; --base) {
            int const steps = static_cast<int>(table.extent(base)) / table.finest_stride(base);
            if (right % Threads == 0) return true;
            if (Threads % right == 0 && right * steps % Threads == 0) return true;
            right *= steps;
        }
        return right == Threads;
    }
    static constexpr bool is_even = fills_digits();

    // The position of the thread's n-th element; is_mine: whether it has one. If the load is even,
    // the cursors stand at the thread's first element already.
    __device__ traversal position(int n) const {
        return traversal(n * Threads + (is_even ? 0 : thread_));
    }
    __device__ bool is_mine(int n) const { return n * Threads + thread_ < elements; }

    source_at_thread source_;
    int thread_;
    unsigned valid_ = 0;
};

} // namespace spio
