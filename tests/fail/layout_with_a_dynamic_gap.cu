// error: the_folds_do_not_meet<N, 4(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension N, n = axis<N>(dynamic).

// Blocks of 8, and positions below 4 within them: N(4) would have no place.
using Wrong = spio::tensor<float, n / 8, n % 4>; // wrong
