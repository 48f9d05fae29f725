// error: only_the_outermost_fold_may_be_dynamic<N, 1(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic).

// The size of an inner axis is a divisor, so only the outermost may be known at run time alone.
using Wrong = spio::compound_index<i, n>; // wrong
