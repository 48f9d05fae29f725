// error: NotItsFactor=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

// Fragments are parts of matrices in registers. b is a table of them along N, where a's are along
// K.
using Transposed = spio::tensor<Right, spio::axis<N>(2), j / 8>;
__device__ inline void multiply_all(Sums c, Lefts a, Transposed b) {
    multiply(c, a, b); // wrong
}
