// error: ArchWithoutCountsOfBytes=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has barrier, an mbarrier.

// An mbarrier counts bytes that arrive only from sm_90 on.
__device__ inline void expect(barrier<spio::sm_80>& full) {
    full.arrive_and_expect(512); // wrong
}
