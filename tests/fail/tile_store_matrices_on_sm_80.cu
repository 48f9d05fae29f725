// error: ArchWithoutStoresOfMatrices=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Box, 16 x 32 halves (I, K); Left, a left factor of 16 x 16 (I, K).

// stmatrix, which stores fragments to shared memory, is there only from sm_90 on.
__device__ inline void store(Left const& a, Box destination) {
    a.store<spio::sm_80>(destination[Left::row_index()]); // wrong
}
