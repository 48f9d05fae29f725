// axpby, y = a x + b y, in two configurations: how many threads and vectors of floats there are.
// SPDX-License-Identifier: Apache-2.0
//
// The host device simulates a GPU on the CPU. A trial runs a test case on it or on a GPU.
#include "axpby/axpby.cuh"

extern "C" __global__ void axpby_256x4(__grid_constant__ spio::axpby::params const p) {
    spio::axpby::run<spio::axpby::config{.threads = 256, .vectors = 4}>(p);
}
extern "C" __global__ void axpby_96x1(__grid_constant__ spio::axpby::params const p) {
    spio::axpby::run<spio::axpby::config{.threads = 96, .vectors = 1}>(p);
}
