// error: the_fold_must_divide_the_axis<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// An axis modulo 8 is the position in a block of 8. A block has a positive length.
constexpr auto axis = k % -8; // wrong
