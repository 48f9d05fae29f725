// says: the_folds_do_not_meet<K, 32(LL)?, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, k, i, k>; // wrong
