// error: two_axes_count_the_same_fold<K, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A tensor has each axis once, or a position would have two places.
using Wrong = spio::tensor<float, k, i, k>; // wrong
