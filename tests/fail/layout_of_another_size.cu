// error: two_axes_count_the_same_fold<K, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, k, k % 8>; // wrong
