// error: not_an_axis<int>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A tensor is made of axes; a plain number names no dimension.
using Wrong = spio::tensor<float, i, 16>; // wrong
