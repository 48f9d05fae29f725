// Elementary functions of an array of floats: the functions and the parameters.
// SPDX-License-Identifier: Apache-2.0
//
// The functions are those that the activations of kernels are made of; the test compares them with
// double. The kernel computes y = function(x) for n floats.
#pragma once

namespace spio::elementary_functions {

enum class function {
    exponential,
    logarithm,
    hyperbolic_tangent,
    error_function,
    inverse_square_root
};

struct params {
    float const* x;
    float* y;
    int n;
    elementary_functions::function function;
};

} // namespace spio::elementary_functions
