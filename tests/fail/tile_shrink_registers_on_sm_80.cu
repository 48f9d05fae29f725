// error: ArchWithoutMovableRegisters=.*80.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

__device__ inline void produce() {
    spio::shrink_registers<spio::sm_80, 24>(); // wrong
}
