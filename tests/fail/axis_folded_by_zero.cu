// error: the_fold_must_divide_the_axis<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A block of an axis has at least one position.
constexpr auto axis = k / 0; // wrong
