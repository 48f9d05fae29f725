// error: NotItsFactor=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Right, a right factor of 16 x 8 (K, J); Lefts, a tensor of left factors; Sums, one of
// sums.

// Fragments are parts of matrices in registers. b is a table of them along N, where a's are along
// K.
using Transposed = spio::tensor<Right, spio::axis<N>(2), j / 8>;
__device__ inline void multiply_all(Sums c, Lefts a, Transposed b) {
    multiply(c, a, b); // wrong
}
