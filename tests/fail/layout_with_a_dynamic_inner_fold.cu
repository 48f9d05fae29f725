// error: only_the_outermost_fold_may_be_dynamic<N, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension N, n = axis<N>(dynamic).

// An inner axis has a size known now: the outer axis counts blocks of that size.
using Wrong = spio::tensor<float, spio::axis<N>(64) / 8, n>; // wrong
