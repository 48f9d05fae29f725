// What a lane adds to its sums of a group.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d/filter.cuh"
#include "spio/tile/vector.h"

namespace spio::conv2d {

// The bias of two channels, or zeros where the problem has none.
template <problem Problem> __device__ vec<float, 2> bias_at(float const* bias, fold<K, 8> group) {
    if constexpr (Problem.bias) {
        using pairs = tensor<vec<float, 2> const, axis<K>(Problem.c) / 2>;
        auto const lane = for_lane<sums::lane_index>(this_lane());
        return *pairs(reinterpret_cast<vec<float, 2> const*>(bias))[group][lane];
    } else {
        return {0, 0};
    }
}

} // namespace spio::conv2d
