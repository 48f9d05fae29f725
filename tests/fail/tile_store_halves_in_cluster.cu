// error: CursorToOtherElements=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Box, 16 x 32 halves (I, K); barrier, an mbarrier.

#include "spio/tile/cluster_store.cuh"

// store_in_cluster() writes to another block's memory: a value of the tensor's element type.
__device__ inline void send(Box inbox, barrier<spio::sm_90a>& received) {
    store_in_cluster(inbox, spio::vec<float, 4>{}, received, 1); // wrong
}
