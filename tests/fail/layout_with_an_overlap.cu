// error: the_folds_do_not_meet<K, 16(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// Blocks of 8, and positions below 16 within them: K(8) would have two places.
using Wrong = spio::tensor<float, k / 8, k % 16>; // wrong
