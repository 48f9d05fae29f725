// Functions of floats that are one instruction each, and not exact to the last bit.
// SPDX-License-Identifier: Apache-2.0
//
// The host device rounds them to nearest, so results there may have other last bits than on a GPU.
#pragma once

#include "machine/approximation.h"

namespace spio {

// 2 to the power of x, within 2^-22 of the result; 0 for results below the least normal float.
__device__ inline float approximate_power_of_two(float x) {
    return machine::approximate_power_of_two(x);
}
// 1 / x, within one unit in the last place, for normal floats.
__device__ inline float approximate_reciprocal(float x) {
    return machine::approximate_reciprocal(x);
}

} // namespace spio
