// error: the_folds_do_not_meet<K, 2(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// Blocks of 8, and positions below 2 within them: K(2) would have no place.
using Wrong = spio::tensor<float, k / 8, i, k % 2>; // wrong
