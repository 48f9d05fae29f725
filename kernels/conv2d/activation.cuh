// The activations of convolutions and their derivatives, as exact as results of 16 bits need.
// SPDX-License-Identifier: Apache-2.0
//
// SiLU takes two instructions of the chip's unit for such functions and some eight others, GELU one
// and a polynomial, so that memory stays the limit of a convolution of 3 x 3 taps. The elementary
// functions of spio/tile, which are as exact as a float, take 40 to 60.
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/approximation.cuh"
#include "spio/tile/elementary_functions.cuh"

namespace spio::conv2d {

inline constexpr float log2_of_e = 1.44269504F; // exp(x) is 2 to the power of log2_of_e * x

// The values at -x and at x, for x >= 0, of a function that goes from 0 at -infinity to 1 at
// infinity.
struct both_tails {
    float low, high;
};
// The function by which an activation multiplies x, for x up to a bound, where the lower tail is
// below 2^-34: for SiLU the sigmoid, 1 / (1 + exp(-x)); for GELU the distribution function of the
// normal distribution, whose lower tail is two to the power of a polynomial that was fitted to it.
template <activation Function> struct tails;
template <> struct tails<activation::silu> {
    static constexpr float bound = 86;
    __device__ static both_tails values(float x) {
        float const power = approximate_power_of_two(-log2_of_e * x); // exp(-x)
        float const high = approximate_reciprocal(1 + power);
        return {power * high, high};
    }
};
template <> struct tails<activation::gelu> {
    static constexpr float bound = 6.5F;
    __device__ static both_tails values(float x) {
        float const low = approximate_power_of_two(
            polynomial(x, {-1.00000387F, -1.15118017F, -0.458615708F, -0.0538245011F,
                           0.00844738540F, -0.000916362954F, 5.99365857e-5F, -1.75777670e-6F}));
        return {low, 1 - low};
    }
};
// The magnitude of x, at most the bound; NaN for NaN.
template <activation Function> __device__ float bounded_size(float x) {
    float const size = x < 0 ? -x : x;
    return size > tails<Function>::bound ? tails<Function>::bound : size;
}

// The activation of x, within 2^-16 of its value and 2^-31. SiLU is x sigmoid(x), GELU is x times
// the distribution function. Both are max(x, 0) - |x| low, where `low` is the lower tail.
template <activation Function> __device__ float activated(float x) {
    if constexpr (Function == activation::none) {
        return x;
    } else if constexpr (Function == activation::relu) {
        return x < 0 ? 0 : x;
    } else {
        float const size = bounded_size<Function>(x);
        return multiply_add(-size, tails<Function>::values(size).low, x > 0 ? x : 0);
    }
}

// The derivative of the activation at x, within 2^-16. That of ReLU at 0 is 0.
template <activation Function> __device__ float derivative(float x) {
    if constexpr (Function == activation::relu) {
        return x <= 0 ? 0 : 1;
    } else {
        float const size = bounded_size<Function>(x);
        auto const [low, high] = tails<Function>::values(size);
        float const value = x < 0 ? low : high;
        float const bounded = x < 0 ? -size : size;
        if constexpr (Function == activation::silu) {
            return multiply_add(bounded, low * high, value);
        } else {
            // The density of the normal distribution, exp(-x^2 / 2) / sqrt(2 pi).
            constexpr float log2_of_root_of_2_pi = 1.32574806F;
            float const density = approximate_power_of_two(
                multiply_add(size * size, -log2_of_e / 2, -log2_of_root_of_2_pi));
            return multiply_add(bounded, density, value);
        }
    }
}

} // namespace spio::conv2d
