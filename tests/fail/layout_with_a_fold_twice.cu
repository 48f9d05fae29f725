// error: two_axes_count_the_same_fold<K, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, k / 8, i, k / 8, k % 8>; // wrong
