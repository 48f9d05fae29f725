// Products of matrices by one warp: their dimensions and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// mma is the instruction by which a warp multiplies matrices on a tensor core.
#pragma once

#include "spio/tensor.h"

namespace spio::test::mma {

struct N : dim {
    using dim::dim;
};
struct I : dim {
    using dim::dim;
};
struct J : dim {
    using dim::dim;
};
struct K : dim {
    using dim::dim;
};

// c = a b for each n, with a by its rows I, b by its columns J, both along K, and c by its rows.
struct params {
    unsigned short const* a;
    unsigned short const* b;
    float* c;
};
struct size {
    int n, i, j, k;
    constexpr int a_elements() const { return n * i * k; }
    constexpr int b_elements() const { return n * j * k; }
    constexpr int shared_bytes() const { return 2 * (a_elements() + b_elements()); }
};
inline constexpr size batched = {.n = 2, .i = 32, .j = 32, .k = 64};

} // namespace spio::test::mma
