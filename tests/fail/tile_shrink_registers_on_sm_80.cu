// error: ArchWithoutMovableRegisters=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

// Warps can give registers to others (setmaxnreg) only from sm_90 on.
__device__ inline void produce() {
    spio::shrink_registers<spio::sm_80, 24>(); // wrong
}
