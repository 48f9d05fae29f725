// error: the_folds_do_not_meet<K, 4(LL)?, 16(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// Blocks of 16, and positions below 4 within them: K(4) would have no place.
using Wrong = spio::tensor<float, k / 16, i, k % 4>; // wrong
