// error: TensorThatHasNoRoom=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Box, 16 x 32 halves (I, K).

// push() places a tensor in what is left of a block's shared memory. The first has filled it.
__device__ inline void lay_out() {
    auto const [first, rest] = spio::dynamic_shared_memory<1024>().push<Box>();
    auto const second = rest.push<Box>(); // wrong
}
