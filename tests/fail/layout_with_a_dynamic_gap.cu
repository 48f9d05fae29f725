// error: the_folds_do_not_meet<N, 4(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, n / 8, n % 4>; // wrong
