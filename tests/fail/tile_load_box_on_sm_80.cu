// error: ArchWithoutBoxes=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

__device__ inline void load(Box destination, BoxMap const& x, barrier<spio::sm_80>& full) {
    load_box(destination, x, I(-3) + K8(1), full); // wrong
}
