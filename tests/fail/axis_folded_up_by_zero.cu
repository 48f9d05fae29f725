// error: the_fold_must_divide_the_axis<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// fold_up() makes blocks of an axis, the last one possibly incomplete; a block has positions.
constexpr auto axis = spio::fold_up(k, 0); // wrong
