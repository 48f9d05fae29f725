// error: the_folds_do_not_meet<K, 16(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, k / 8, k % 16>; // wrong
