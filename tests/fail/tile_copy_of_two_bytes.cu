// says: FromOtherElements=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

using Halves = spio::tensor<spio::half, i, k>;
__device__ inline void copy(Halves to, Halves from) {
    copy_async(to[I(1)], from[I(1)]); // wrong
}
