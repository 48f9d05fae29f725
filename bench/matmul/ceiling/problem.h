// What the tensor cores reach when nothing but products is to be done: the contract of two loops.
// SPDX-License-Identifier: Apache-2.0
//
// One loop multiplies by wgmma, from shared memory, the other by mma.sync, from registers. Each
// thread writes one sum, so that no product can be left out.
#pragma once

#include "spio/launch_values.h"
#include "spio/tensor.h"

namespace ceiling {

struct M : spio::dim {
    using dim::dim;
};
struct N : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
struct STAGE : spio::dim {
    using dim::dim;
};

// A block multiplies tiles of m x 64 and 64 x n, the same ones again and again.
struct config {
    int m, n;
    int stages; // tiles in shared memory; 0: the factors stay in registers

    constexpr int depth() const { return 64; }
    constexpr int shared_bytes() const { return stages * 2 * depth() * (m + n); }
    // Products of a step, each a multiplication and an addition.
    constexpr double products() const { return 1.0 * m * n * depth(); }
};

// Factors are bfloat16 numbers, at least as many as a block's tiles have. A thread writes one sum.
struct params {
    unsigned short const* numbers;
    float* sums;
    int steps;
};

} // namespace ceiling
