// error: the_layout_reads_a_dimension_that_it_does_not_place<I>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The swizzle permutes blocks of K by i, along which this tensor has no axis.
using Wrong = spio::tensor<float, spio::swizzle(k / 8, i % 4), k % 8>; // wrong
