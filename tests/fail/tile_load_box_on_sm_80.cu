// error: ArchWithoutBoxes=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Image, 100 x 64 halves (I, K); Box, 16 x 32 of them; BoxMap, the tensor map of Box in
// Image; barrier, an mbarrier.

// TMA, which copies tiles as boxes, is there only from sm_90 on.
__device__ inline void load(Box destination, BoxMap const& x, barrier<spio::sm_80>& full) {
    load_box(destination, x, I(-3) + K8(1), full); // wrong
}
