// The activations of convolutions and their derivatives, as exact as results of 16 bits need.
// SPDX-License-Identifier: Apache-2.0
//
// Two values of SiLU take three instructions of the chip's unit for such functions, GELU takes one
// and a polynomial, so that memory stays the limit of a convolution of 3 x 3 taps. The elementary
// functions of spio/tile, which are as exact as a float, take 40 to 60.
#pragma once

#include "conv2d/problem.h"
#include "spio/tile/approximation.cuh"
#include "spio/tile/elementary_functions.cuh"

namespace spio::conv2d {

// Activations and derivatives are computed for two neighbouring channels at a time.
using two_floats = vec<float, 2>;

// A function that goes from 0 at -infinity to 1 at infinity: its values at -x and at x, for x >= 0.
struct both_tails {
    two_floats low, high;
};
// Of the sigmoid function, 1 / (1 + exp(-x)), and of the distribution function of the normal
// distribution, for x up to a bound, where the lower tail is below 2^-34. A polynomial is the
// logarithm of the normal distribution's lower tail, to the base 2.
template <activation Function> struct tails;
template <> struct tails<activation::silu> {
    static constexpr float bound = 86;
    // The reciprocals of two denominators, which are from 1 to 2, come from that of their product.
    __device__ static both_tails values(two_floats const& x) {
        two_floats const powers = {approximate_power_of_two(-1.44269504F * x[0]), // exp(-x)
                                   approximate_power_of_two(-1.44269504F * x[1])};
        two_floats const denominators = {1 + powers[0], 1 + powers[1]};
        float const reciprocal = approximate_reciprocal(denominators[0] * denominators[1]);
        two_floats const high = {denominators[1] * reciprocal, denominators[0] * reciprocal};
        return {{powers[0] * high[0], powers[1] * high[1]}, high};
    }
};
template <> struct tails<activation::gelu> {
    static constexpr float bound = 6.5F;
    __device__ static float lower(float x) {
        return approximate_power_of_two(
            polynomial(x, {-1.00000387F, -1.15118017F, -0.458615708F, -0.0538245011F,
                           0.00844738540F, -0.000916362954F, 5.99365857e-5F, -1.75777670e-6F}));
    }
    __device__ static both_tails values(two_floats const& x) {
        two_floats const low = {lower(x[0]), lower(x[1])};
        return {low, {1 - low[0], 1 - low[1]}};
    }
};
// The magnitude of x, at most the bound, which also stands for NaN: a NaN must not reach the other
// of two numbers.
template <activation Function> __device__ float bounded_size(float x) {
    float const size = x < 0 ? -x : x;
    return size < tails<Function>::bound ? size : tails<Function>::bound;
}

// The activations of two numbers, each within 2^-16 of its value and 2^-31. SiLU is x sigmoid(x),
// GELU is x times the distribution function. Both are max(x, 0) - |x| low, where `low` is the lower
// tail.
template <activation Function> __device__ two_floats activated(two_floats const& x) {
    two_floats values = {x[0] < 0 ? 0 : x[0], x[1] < 0 ? 0 : x[1]};
    if constexpr (Function == activation::none) {
        values = x;
    } else if constexpr (Function != activation::relu) {
        two_floats const sizes = {bounded_size<Function>(x[0]), bounded_size<Function>(x[1])};
        auto const low = tails<Function>::values(sizes).low;
        for (int n = 0; n < 2; ++n) values[n] = multiply_add(-sizes[n], low[n], values[n]);
    }
    return values;
}

// The derivatives of the activation at two numbers, each within 2^-16. That of ReLU at 0 is 0.
template <activation Function> __device__ two_floats derivatives(two_floats const& x) {
    two_floats values;
    if constexpr (Function == activation::relu) {
        for (int n = 0; n < 2; ++n) values[n] = x[n] <= 0 ? 0 : 1;
    } else {
        two_floats const sizes = {bounded_size<Function>(x[0]), bounded_size<Function>(x[1])};
        auto const [low, high] = tails<Function>::values(sizes);
        for (int n = 0; n < 2; ++n) {
            float const value = x[n] < 0 ? low[n] : high[n];
            float const bounded = x[n] < 0 ? -sizes[n] : sizes[n];
            float slope;
            if constexpr (Function == activation::silu) {
                slope = low[n] * high[n];
            } else {
                // The density of the normal distribution, exp(-x^2 / 2) / sqrt(2 pi).
                slope = approximate_power_of_two(
                    multiply_add(sizes[n] * sizes[n], -0.721347520F, -1.32574806F));
            }
            bool const is_number = x[n] == x[n];
            values[n] = is_number ? multiply_add(bounded, slope, value) : x[n];
        }
    }
    return values;
}

} // namespace spio::conv2d
