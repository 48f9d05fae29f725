// Shuffles, votes and reductions among the lanes of a warp, for values of any type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/warp.h"
#include "spio/tile/thread.cuh"
#include "spio/tile/vector.h"

namespace spio {

// Values that can be shuffled: whole words, up to four.
template <class T>
concept shuffled = sizeof(T) % 4 == 0 && sizeof(T) <= 16;

template <shuffled T, class Move> __device__ T move_words(T const& value, Move move) {
    auto words = bits_as<words_in<T>>(value);
    for (unsigned& word : words.values) word = move(word);
    return bits_as<T>(words);
}

// The value of another lane; or of the lane whose number differs in some bits.
template <shuffled T> __device__ T shuffle(T const& value, LANE source) {
    return move_words(
        value, [&](unsigned word) { return machine::shuffle(word, source.value, all_lanes); });
}
template <int Bits, shuffled T>
    requires(Bits > 0 && Bits < 32)
__device__ T shuffle_xor(T const& value) {
    return move_words(value,
                      [](unsigned word) { return machine::shuffle_xor(word, Bits, all_lanes); });
}
// The value of the lane whose number is lower (up) or higher (down) by a distance; the lane's own
// where there is no such lane.
template <shuffled T> __device__ T shuffle_up(T const& value, LANE distance) {
    return move_words(
        value, [&](unsigned word) { return machine::shuffle_up(word, distance.value, all_lanes); });
}
template <shuffled T> __device__ T shuffle_down(T const& value, LANE distance) {
    return move_words(value, [&](unsigned word) {
        return machine::shuffle_down(word, distance.value, all_lanes);
    });
}

// Votes: a bit for each lane whose condition holds; whether any lane's does, or all of them.
__device__ inline unsigned ballot_lanes(bool condition) {
    return machine::ballot(condition, all_lanes);
}
__device__ inline bool any_lane(bool condition) { return ballot_lanes(condition) != 0; }
__device__ inline bool all_of_lanes(bool condition) { return ballot_lanes(condition) == all_lanes; }

// Reduces the values of all lanes to one that every lane gets. They are joined pairwise, lanes 16
// apart first and neighbours last, so that the order is the same on every device. With fewer Lanes,
// each group of so many neighbours reduces its own.
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

// Whether this is the lane that issues what a warp does once.
__device__ inline bool is_first_lane() { return this_lane() == LANE(0); }

} // namespace spio
