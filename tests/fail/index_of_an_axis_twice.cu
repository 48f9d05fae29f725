// error: two_axes_count_the_same_fold<I, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I, i = axis<I>(16).

// A compound index has each axis once, or a position would be ambiguous.
using Wrong = spio::compound_index<i, i>; // wrong
