// error: not_an_axis<K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16).

// A tensor is made of axes, which are dimensions with sizes. K(32) is a position.
using Wrong = spio::tensor<float, i, K(32)>; // wrong
