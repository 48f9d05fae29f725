// Computes an elementary function of each float of an array.
// SPDX-License-Identifier: Apache-2.0
//
// The functions are those that the activations of kernels are made of; the test compares them with
// double.
#include "elementary_functions.h"
#include "spio/tile/elementary_functions.cuh"
#include "spio/tile/thread.cuh"

namespace spio::elementary_functions {

__device__ inline float compute(function function, float x) {
    switch (function) {
    case function::exponential:
        return exponential(x);
    case function::logarithm:
        return logarithm(x);
    case function::hyperbolic_tangent:
        return hyperbolic_tangent(x);
    case function::error_function:
        return error_function(x);
    case function::inverse_square_root:
        return inverse_square_root(x);
    }
    return 0;
}

} // namespace spio::elementary_functions

extern "C" __global__ void elementary_functions_256(spio::elementary_functions::params p) {
    int const n = 256 * spio::this_block() + spio::this_thread();
    if (n < p.n) p.y[n] = spio::elementary_functions::compute(p.function, p.x[n]);
}
