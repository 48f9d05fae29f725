// error: the_folds_do_not_meet<K, 4(LL)?, 16(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, k / 16, i, k % 4>; // wrong
