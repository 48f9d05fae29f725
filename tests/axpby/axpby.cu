// axpby, y = a x + b y, in two configurations: the threads of a block, and the vectors of each.
// SPDX-License-Identifier: Apache-2.0
//
// A vector has 4 floats. The test compares the results with fma().
#include "axpby/axpby.cuh"

// Sums of vectors. (GPU.add)
extern "C" __global__ void axpby_256x4(__grid_constant__ spio::axpby::params const p) {
    spio::axpby::run<spio::axpby::config{.threads = 256, .vectors = 4}>(p);
}
extern "C" __global__ void axpby_96x1(__grid_constant__ spio::axpby::params const p) {
    spio::axpby::run<spio::axpby::config{.threads = 96, .vectors = 1}>(p);
}
