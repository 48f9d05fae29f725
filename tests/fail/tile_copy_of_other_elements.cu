// error: FromOtherElements=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Box, 16 x 32 halves (I, K).

// copy_async() copies between elements of one type.
using Floats = spio::tensor<spio::vec<float, 4>, i, k / 8>;
__device__ inline void copy(Box destination, Floats source) {
    copy_async(destination[I(1)], source[I(1)]); // wrong
}
