// error: not_an_axis<int>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I, i = axis<I>(16).

// A tensor is made of axes; a plain number names no dimension.
using Wrong = spio::tensor<float, i, 16>; // wrong
