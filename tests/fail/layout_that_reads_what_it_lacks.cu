// error: the_layout_reads_a_dimension_that_it_does_not_place<I>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, spio::swizzle(k / 8, i % 4), k % 8>; // wrong
