// error: two_axes_count_the_same_fold<K, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// k / 8 and the checkerboard's k % 16 / 8 both place the blocks of 8 below 16.
using Wrong = spio::tensor<float, k / 8, i / 16, spio::checkerboard(i % 16, k % 16 / 8)>; // wrong
