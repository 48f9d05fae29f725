// What the lanes of a warp tell each other, for values of any type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/warp.h"
#include "spio/tile/thread.cuh"
#include "spio/tile/vector.h"

namespace spio {

// Values that a shuffle takes: whole words.
template <class T>
concept shuffled = sizeof(T) % 4 == 0 && sizeof(T) <= 16;

template <shuffled T, class Move> __device__ T move_words(T const& value, Move move) {
    auto words = bits_as<words_in<T>>(value);
    for (unsigned& word : words.of) word = move(word);
    return bits_as<T>(words);
}

// The value that another lane has, or the one whose number differs in some bits.
template <shuffled T> __device__ T shuffle(T const& value, LANE from) {
    return move_words(value,
                      [&](unsigned word) { return machine::shuffle(word, from.value, all_lanes); });
}
template <int Bits, shuffled T>
    requires(Bits > 0 && Bits < 32)
__device__ T shuffle_xor(T const& value) {
    return move_words(value,
                      [](unsigned word) { return machine::shuffle_xor(word, Bits, all_lanes); });
}
// The value of the lane so many below, or above; one's own where there is none.
template <shuffled T> __device__ T shuffle_up(T const& value, LANE distance) {
    return move_words(
        value, [&](unsigned word) { return machine::shuffle_up(word, distance.value, all_lanes); });
}
template <shuffled T> __device__ T shuffle_down(T const& value, LANE distance) {
    return move_words(value, [&](unsigned word) {
        return machine::shuffle_down(word, distance.value, all_lanes);
    });
}

// A bit for each lane that says yes, and what follows from them.
__device__ inline unsigned lanes_that(bool yes) { return machine::ballot(yes, all_lanes); }
__device__ inline bool any_lane(bool yes) { return lanes_that(yes) != 0; }
__device__ inline bool all_of_lanes(bool yes) { return lanes_that(yes) == all_lanes; }

// One value from all lanes, the same in each, joined pairwise: lanes 16 apart first, neighbours
// last, so that the order is the same everywhere. Groups of Lanes neighbours may do so by
// themselves.
//     reduce_lanes(x, [](float a, float b) { return a + b; })
template <int Lanes = 32, shuffled T, class Function>
    requires(Lanes > 0 && Lanes <= 32 && is_power_of_two(Lanes))
__device__ T reduce_lanes(T value, Function join) {
    if constexpr (Lanes > 1) {
        value = join(value, shuffle_xor<Lanes / 2>(value));
        return reduce_lanes<Lanes / 2>(value, join);
    } else {
        return value;
    }
}
template <int Lanes = 32> __device__ float sum_lanes(float value) {
    return reduce_lanes<Lanes>(value, [](float a, float b) { return a + b; });
}
__device__ inline int sum_lanes(int value) { return machine::sum_over(value, all_lanes); }
__device__ inline int min_lanes(int value) { return machine::least_over(value, all_lanes); }
__device__ inline int max_lanes(int value) { return machine::greatest_over(value, all_lanes); }

// Whether this lane is the one that acts for its warp.
__device__ inline bool is_first_lane() { return this_lane() == LANE(0); }

} // namespace spio
