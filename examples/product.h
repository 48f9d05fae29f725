// The dimensions, matrices and parameters of the product, for the kernel and its caller.
// SPDX-License-Identifier: Apache-2.0
//
// I and J are the rows and columns of c = a b', K is what the product sums over. axis<J>(64) is the
// dimension J with 64 values, and axis<I>(dynamic) one whose size the caller passes; k / 8 are the
// blocks of 8. A tensor is a pointer with axes, outermost first.
#pragma once

#include "spio/dims.h"
#include "spio/tile/vector.h"

namespace spio {
struct half;
}

namespace product {

struct I : spio::dim {
    using dim::dim;
};
struct J : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};

// a has any number of rows; c has 64 columns; K is 128.
inline constexpr auto i = spio::axis<I>(spio::dynamic);
inline constexpr auto j = spio::axis<J>(64);
inline constexpr auto k = spio::axis<K>(128);

using half8 = spio::vec<spio::half, 8>;
using a_matrix = spio::tensor<half8 const, i, k / 8>;
using b_matrix = spio::tensor<half8 const, j, k / 8>;
using c_matrix = spio::tensor<spio::vec<float, 2>, i, j / 2>;

struct params {
    half8 const* a;
    half8 const* b;
    spio::vec<float, 2>* c;
    int rows;
};
// A block has two tiles of 64 x 32 halfs in shared memory.
inline constexpr int shared_bytes = 2 * 64 * 32 * 2;

} // namespace product
