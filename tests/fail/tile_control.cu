// compiles
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

// A box is a tile that TMA copies; a fragment is a warp's part of a matrix product, in registers.
__device__ inline void load(Box destination, BoxMap const& x, barrier<spio::sm_90a>& full) {
    full.arrive_and_expect(BoxMap::num_bytes());
    load_box(destination, x, I(-3) + K8(1), full);
    spio::shrink_registers<spio::sm_90a, 24>();
}
__device__ inline void multiply_all(Sums c, Lefts a, Rights b, Box destination) {
    multiply(c, a, b);
    multiply(*c[spio::fold<J, 8>(0)], *a[K16(1)], *b[K16(1)][spio::fold<J, 8>(2)]);
    a[K16(0)]->store<spio::sm_90a>(destination[Left::row_index()]);
}
