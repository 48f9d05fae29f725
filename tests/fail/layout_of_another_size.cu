// error: two_axes_count_the_same_fold<K, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// k places all of K; k % 8 would place the positions below 8 again.
using Wrong = spio::tensor<float, k, k % 8>; // wrong
