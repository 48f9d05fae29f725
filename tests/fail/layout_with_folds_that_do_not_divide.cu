// error: the_folds_do_not_meet<K, 4(LL)?, 6(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// Blocks of 6, and positions below 4 within them: K(4) would have no place.
using Wrong = spio::tensor<float, spio::axis<K>(48) / 6, spio::axis<K>(48) % 4>; // wrong
