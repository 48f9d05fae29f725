// Transposes of halves and floats, of sizes known at the launch and of sizes known when compiled.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#include "transpose.cuh"

using spio::axis;
using spio::half;
using spio::transpose::config;
using spio::transpose::params;
using spio::transpose::run;

extern "C" __global__ void transpose_halves_by_matrices(params<half> p) {
    run<half, config{.threads = 128, .by_matrices = true}>(p);
}
extern "C" __global__ void transpose_halves(params<half> p) {
    run<half, config{.threads = 128}>(p);
}
extern "C" __global__ void transpose_floats(params<float> p) {
    run<float, config{.threads = 64}>(p);
}
extern "C" __global__ void transpose_halves_of_64x136(params<half> p) {
    run<half, config{.threads = 256, .by_matrices = true}, axis<spio::transpose::I>(64),
        axis<spio::transpose::J>(136)>(p);
}
