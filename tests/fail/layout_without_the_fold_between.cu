// error: the_folds_do_not_meet<K, 2(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, k / 8, i, k % 2>; // wrong
