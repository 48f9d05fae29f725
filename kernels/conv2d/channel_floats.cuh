// The floats of a lane's two channels, such as their biases.
// SPDX-License-Identifier: Apache-2.0
//
// Problem (the sizes and options of a call) and Config (how blocks and warps share it) are known
// when a kernel is compiled. A group is 8 channels. for_lane<lane_index>(lane) says which elements
// of a fragment a lane holds. has_static_layer() says whether the channels and the padding are
// known when a kernel is compiled.
#pragma once

#include "conv2d/filter_fragments.cuh"
#include "spio/tile/vector.h"

namespace spio::conv2d {

// The floats of the two channels of a group that this lane's accumulators hold, or zeros where the
// problem has none. `floats` points to one for each channel K of the output; a group, fold<K, 8>,
// is 8 of them. A kernel that serves any layer takes a null pointer for none.
template <problem Problem, bool Exist>
__device__ vec<float, 2> floats_of_lane(float const* floats, fold<K, 8> group) {
    if constexpr (Exist) {
        using pairs = tensor<vec<float, 2> const, axis<K>(most_channels(Problem)) / 2>;
        if (!Problem.has_static_layer() && floats == nullptr) return {0, 0};
        auto const lane = for_lane<accumulator::lane_index>(this_lane());
        return *pairs(reinterpret_cast<vec<float, 2> const*>(floats))[group][lane];
    } else {
        return {0, 0};
    }
}

} // namespace spio::conv2d
