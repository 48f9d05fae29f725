// error: NotAtTheTile=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Image, 100 x 64 halves (I, K); Box, 16 x 32 of them; BoxMap, the tensor map of Box in
// Image; barrier, an mbarrier.

// A tensor map is made for one tile. TMA writes to tensors of its type only.
__device__ inline void load(Image destination, BoxMap const& x, barrier<spio::sm_90a>& full) {
    load_box(destination, x, I(-3) + K8(1), full); // wrong
}
