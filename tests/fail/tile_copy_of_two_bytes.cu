// error: FromOtherElements=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

// cp.async copies 4, 8 or 16 bytes for each thread; a half has 2.
using Halves = spio::tensor<spio::half, i, k>;
__device__ inline void copy(Halves destination, Halves source) {
    copy_async(destination[I(1)], source[I(1)]); // wrong
}
