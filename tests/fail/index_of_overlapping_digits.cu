// error: the_folds_do_not_meet<K, 16(LL)?, 8(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// k / 8 counts blocks of 8 and k % 16 positions below 16: blocks of 8 would be counted twice.
using Wrong = spio::compound_index<k / 8, k % 16>; // wrong
