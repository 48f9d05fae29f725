// A tile loader: which elements of a tile each thread copies, and where from, found once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tile/async_copy.cuh"
#include "spio/tile/walk.h"

namespace spio {

// Threads copy a tile out of a global tensor, an element after the other, dealt out dimension
// by dimension, whatever the tile's folds. What is outside the tensor where the loader begins comes
// as zero; a step does not ask again, so step along dimensions in which the tile stays inside.
//     tile_loader<x_tile, 128, decltype(x)> loader(x[origin], this_thread());
//     loader.load(tiles[stage]);  commit_copies();  loader.step(C16(1));
template <class Tile, int Threads, class Source> class tile_loader {
    using layout = typename Tile::layout_type;
    using walk = typename walk_over<layout, typename Tile::bases>::type;
    using source_at_thread = decltype(declval<Source>()[walk()]);

  public:
    static constexpr int elements = walk::size();
    static constexpr int loads = (elements + Threads - 1) / Threads;
    static_assert(loads <= 32, "a loader asks for at most 32 elements a thread: use more threads");

    __device__ tile_loader(Source const& source, int thread)
        : source_(source[walk(is_even ? thread : 0)]), thread_(thread) {
#pragma unroll
        for (int n = 0; n < loads; ++n) {
            bool const wanted = is_mine(n) && source_[at(n)].inbounds();
            wanted_ |= static_cast<unsigned>(wanted) << n;
        }
    }

    // To a tile, or to a cursor at one.
    template <class To> __device__ void load(To const& to) const {
        auto const mine = to[walk(is_even ? thread_ : 0)];
#pragma unroll
        for (int n = 0; n < loads; ++n) {
            if (elements % Threads == 0 || is_mine(n)) {
                copy_async(mine[at(n)], source_[at(n)], (wanted_ >> n & 1) != 0);
            }
        }
    }
    template <place P> __device__ void step(P const& p) { source_.step(p); }

  private:
    // The threads fill whole digits of the tile: then its n-th element is found from its first
    // without a carry.
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

    __device__ walk at(int n) const { return walk(n * Threads + (is_even ? 0 : thread_)); }
    __device__ bool is_mine(int n) const { return n * Threads + thread_ < elements; }

    source_at_thread source_;
    int thread_;
    unsigned wanted_ = 0;
};

} // namespace spio
