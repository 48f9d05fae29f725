// error: the_fold_must_divide_the_axis<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// The 4 blocks of k / 8 cannot be grouped by 3.
constexpr auto axis = k / 8 % 3; // wrong
