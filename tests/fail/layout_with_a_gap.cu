// error: the_folds_do_not_meet<K, 4(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// Blocks of 8, and positions below 4 within them: K(4) would have no place.
using Wrong = spio::tensor<float, k / 8, k % 4>; // wrong
