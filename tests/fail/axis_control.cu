// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions K and N, k = axis<K>(32), n = axis<N>(dynamic).

// An axis is a dimension with a size: / counts it in blocks, % is a position in its block.
static_assert((k / 8).size == 4 && (k % 16 / 8).stride == 8 && spio::axis<K>(K(4)).size == 4);
static_assert((k / 8).pitch(64).memory_stride == 64 && spio::fold_up(k, 5).size == 7);
static_assert((k / 8 % 4).size == 4 && k.ring().is_ring && (n / 8).is_dynamic);
