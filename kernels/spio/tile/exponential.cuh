// The exponential function, with the same bits on every device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tile/arithmetic.cuh"
#include "spio/tile/vector.h"

namespace spio {

// e to the power of x, within one unit in the last place. It is 0 for -infinity, infinity for large
// x, and NaN for NaN.
__device__ inline float exponential(float x) {
    // Beyond these bounds the result is 0 or infinity. NaN passes both comparisons.
    x = x < -105 ? -105 : x;
    x = x > 89 ? 89 : x;

    // x = power * ln 2 + rest, where |rest| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer,
    // which the low bits of the sum hold.
    constexpr float rounder = 12582912;
    float const shifted = multiply_add(x, 1.44269504F, rounder);
    float const power = shifted - rounder;
    float rest = multiply_add(power, -0.693145752F, x); // the high bits of ln 2, and then the low
    rest = multiply_add(power, -1.42860677e-6F, rest);

    float result = 1.38888889e-3F; // 1 / 6!, and so on: the series, to the seventh power
    result = multiply_add(1.98412698e-4F, rest, result);
    result = multiply_add(result, rest, 8.33333333e-3F);
    result = multiply_add(result, rest, 4.16666667e-2F);
    result = multiply_add(result, rest, 1.66666667e-1F);
    result = multiply_add(result, rest, 0.5F);
    result = multiply_add(result, rest, 1);
    result = multiply_add(result, rest, 1);

    // Two factors, since 2^power may be too large or too small for a float of its own.
    int const exponent = static_cast<int>(bits_as<unsigned>(shifted) - bits_as<unsigned>(rounder));
    int const half = exponent >> 1;
    auto const power_of_two = [](int n) {
        return bits_as<float>((static_cast<unsigned>(n) + 127) << 23);
    };
    return result * power_of_two(half) * power_of_two(exponent - half);
}

} // namespace spio
