// says: the_folds_do_not_meet<I, 16(LL)?, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::compound_index<i, i>; // wrong
