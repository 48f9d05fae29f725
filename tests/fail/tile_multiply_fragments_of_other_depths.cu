// error: NotItsFactor=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Left, a left factor of 16 x 16 (I, K); Sum, 16 x 8 sums (I, J).

// Fragments are parts of matrices in registers. Here a has 16 columns, and b 8 rows.
using Shallow = spio::right_fragment<spio::half, spio::axis<K>(8), spio::axis<J>(8)>;
__device__ inline void multiply_one(Sum& c, Left const& a, Shallow const& b) {
    multiply(c, a, b); // wrong
}
