// error: NotAtTheTile=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

// A tensor map is made for one tile. TMA writes to tensors of its type only.
__device__ inline void load(Image destination, BoxMap const& x, barrier<spio::sm_90a>& full) {
    load_box(destination, x, I(-3) + K8(1), full); // wrong
}
