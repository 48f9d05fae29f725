// Elementary functions of floats, with the same bits on every device and from every compiler:
// each sum of products is an explicit multiply_add().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/tile/arithmetic.cuh"
#include "spio/tile/vector.h"

namespace spio {

// The sum of coefficients[n] * x^n.
template <int N> __device__ inline float polynomial(float x, float const (&coefficients)[N]) {
    float sum = coefficients[N - 1];
    for (int n = N - 2; n >= 0; n--) sum = multiply_add(sum, x, coefficients[n]);
    return sum;
}

// The logarithm of 2 in two parts: its high bits, whose product with a small integer is exact, and
// the rest.
inline constexpr float log_2_high = 0.693145752F, log_2_low = 1.42860677e-6F;

// e to the power of x, within one unit in the last place. It is 0 for -infinity, infinity for large
// x, and NaN for NaN.
__device__ inline float exponential(float x) {
    // Beyond these bounds the result is 0 or infinity. NaN passes both comparisons.
    x = x < -105 ? -105 : x;
    x = x > 89 ? 89 : x;

    // x = power * log 2 + rest, where |rest| <= log 2 / 2. Adding 1.5 * 2^23 rounds to an integer,
    // which the low bits of the sum hold.
    constexpr float rounder = 12582912;
    float const shifted = multiply_add(x, 1.44269504F, rounder);
    float const power = shifted - rounder;
    float rest = multiply_add(power, -log_2_high, x);
    rest = multiply_add(power, -log_2_low, rest);

    // The series: 1 / n!.
    float const result = polynomial(rest, {1, 1, 0.5F, 1.66666667e-1F, 4.16666667e-2F,
                                           8.33333333e-3F, 1.38888889e-3F, 1.98412698e-4F});

    // Two factors, since 2^power may be too large or too small for a float of its own.
    int const exponent = static_cast<int>(bits_as<unsigned>(shifted) - bits_as<unsigned>(rounder));
    int const half = exponent >> 1;
    auto const power_of_two = [](int n) {
        return bits_as<float>((static_cast<unsigned>(n) + 127) << 23);
    };
    return result * power_of_two(half) * power_of_two(exponent - half);
}

// The natural logarithm, within one unit in the last place. It is -infinity for 0, and NaN for
// negative numbers and NaN.
__device__ inline float logarithm(float x) {
    float const infinity = bits_as<float>(0x7f800000U), nan = bits_as<float>(0x7fc00000U);
    if (!(x > 0)) return x == 0 ? -infinity : nan;
    if (x == infinity) return x;
    constexpr float smallest_normal = 1.17549435e-38F, scale = 8388608; // 2^23
    bool const is_subnormal = x < smallest_normal;
    unsigned const bits = bits_as<unsigned>(is_subnormal ? x * scale : x);

    // x = 2^exponent * (1 + f), where 1 + f is from sqrt(1/2) to sqrt(2).
    constexpr unsigned root_of_half = 0x3f3504f3;
    int const exponent = (static_cast<int>(bits - root_of_half) >> 23) - (is_subnormal ? 23 : 0);
    float const f = bits_as<float>(((bits - root_of_half) & 0x7fffff) + root_of_half) - 1;

    // With s = f / (2 + f), log(1 + f) is 2 artanh(s) = 2 s + s p(s^2), and since 2 s is f - s f
    // this is f + s (p(s^2) - f).
    float const s = f / (2 + f), z = s * s;
    float const p = polynomial(z, {0.6666666F, 0.40000334F, 0.2853728F, 0.23582765F});
    float const power = static_cast<float>(exponent);
    float const low = multiply_add(s, multiply_add(z, p, -f), power * log_2_low);
    return multiply_add(power, log_2_high, f + low);
}

// The value, which is not negative, with the sign of another number.
__device__ inline float with_sign_of(float number, float value) {
    return bits_as<float>(bits_as<unsigned>(value) | (bits_as<unsigned>(number) & 0x80000000U));
}

// Within two units in the last place; 1 and -1 for large numbers, NaN for NaN.
__device__ inline float hyperbolic_tangent(float x) {
    float const size = x < 0 ? -x : x;
    if (size < 0.6F) { // where the difference below would lose digits
        float const z = size * size;
        float const p =
            polynomial(z, {-0.333333F, 0.13331959F, -0.053786684F, 0.020805383F, -0.0059058676F});
        return with_sign_of(x, multiply_add(size * z, p, size));
    }
    return with_sign_of(x, 1 - 2 / (exponential(2 * size) + 1));
}

// The integral of 2 / sqrt(pi) exp(-t^2) from 0 to x, within two units in the last place; 1 and -1
// for large numbers, NaN for NaN.
__device__ inline float error_function(float x) {
    float size = x < 0 ? -x : x;
    if (size < 0.95F) { // where a difference from 1 would lose digits
        float const p = polynomial(x * x, {0.12837917F, -0.37612632F, 0.112836726F, -0.026858104F,
                                           0.0051977974F, -0.00081059657F, 8.215427e-05F});
        return multiply_add(x, p, x);
    }
    size = size > 4 ? 4 : size; // where the result is 1
    // The logarithm of 1 - error_function(size).
    float const q =
        polynomial(size, {0.00015338288F, -1.129397F, -0.6336273F, -0.10790571F, 0.024812799F,
                          -0.004013398F, 0.00038478588F, -1.2330023e-05F, -6.6281183e-07F});
    return with_sign_of(x, 1 - exponential(q));
}

// 1 / sqrt(x), within two units in the last place; infinity for 0, NaN for negative numbers and
// NaN.
__device__ inline float inverse_square_root(float x) { return 1 / square_root(x); }

} // namespace spio
