// The activations of convolutions and their derivatives, as exact as results of 16 bits need.
// SPDX-License-Identifier: Apache-2.0
//
// SiLU takes six instructions, two of them of the chip's unit for such functions, and GELU ten with
// one of that unit, so that memory stays the limit of a convolution of 3 x 3 taps. The elementary
// functions of spio/tile, which are as exact as a float, take 40 to 60.
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/approximation.cuh"
#include "spio/tile/elementary_functions.cuh"

namespace spio::conv2d {

inline constexpr float log2_of_e = 1.44269504F; // exp(x) is 2 to the power of log2_of_e * x

// Beyond so much the sigmoid, and the distribution function of the normal distribution, are 0 or 1:
// they differ by less than 2^-34.
inline constexpr float sigmoid_bound = 86, normal_bound = 6.5F;

// The sigmoid, 1 / (1 + exp(-x)), for |x| <= sigmoid_bound.
__device__ inline float sigmoid(float x) {
    return approximate_reciprocal(1 + approximate_power_of_two(-log2_of_e * x));
}
// The magnitude of x, at most normal_bound; NaN for NaN.
__device__ inline float bounded_size(float x) {
    float const size = magnitude(x);
    return size > normal_bound ? normal_bound : size;
}

// The activation of x, within 2^-16 of its value and 2^-31. SiLU is x sigmoid(x), GELU is x times
// the distribution function of the normal distribution.
template <activation Function> __device__ float activated(float x) {
    if constexpr (Function == activation::none) {
        return x;
    } else if constexpr (Function == activation::relu) {
        return x <= 0 ? 0 : x; // -0 becomes 0, as where rounding rectifies
    } else if constexpr (Function == activation::silu) {
        float const bounded = x < -sigmoid_bound ? -sigmoid_bound : x;
        return bounded * sigmoid(bounded);
    } else {
        // max(x, 0) - |x| low, where `low` is the distribution function at -|x|: two to the power
        // of a polynomial that was fitted to it.
        float const size = bounded_size(x);
        float const low = approximate_power_of_two(
            polynomial(size, {-1.00000906F, -1.15100992F, -0.459246367F, -0.0529732108F,
                              0.00790554564F, -0.000740535324F, 3.18120401e-5F}));
        return multiply_add(-size, low, x > 0 ? x : 0);
    }
}

// The derivative of the activation at x, within 2^-16. That of ReLU at 0 is 0.
template <activation Function>
    requires(Function != activation::none)
__device__ float derivative(float x) {
    if constexpr (Function == activation::relu) {
        return x <= 0 ? 0 : 1;
    } else if constexpr (Function == activation::silu) {
        constexpr float bound = 24; // where the derivative is 0 or 1 within 2^-29
        float const least = x < -bound ? -bound : x;
        float const bounded = least > bound ? bound : least;
        float const value = sigmoid(bounded);
        return multiply_add(value, multiply_add(-bounded, value, bounded), value);
    } else {
        // 1/2 + sign(x) (1/2 - low), where `low` is the derivative at -|x|: exp(-x^2 / 2) times a
        // polynomial that was fitted.
        float const size = bounded_size(x);
        float const power = approximate_power_of_two(-log2_of_e / 2 * size * size);
        float const factor =
            polynomial(size, {0.499996036F, -0.797662377F, 0.247959599F, -0.125826721F,
                              0.0499399044F, -0.0139235342F, 0.00231905235F, -0.000168555649F});
        float const half = multiply_add(-power, factor, 0.5F);
        return with_sign_of(x, half) + 0.5F;
    }
}
template <activation Function>
    requires(Function == activation::none)
__device__ float derivative(float x) = delete; // there is no activation

} // namespace spio::conv2d
