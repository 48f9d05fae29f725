// error: ArchWithoutBoxes=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

__device__ inline void store(Box source, BoxMap const& x) {
    spio::store_box<spio::sm_80>(x, I(-3) + K8(1), source); // wrong
}
