// error: not_an_axis<K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::tensor<float, i, K(32)>; // wrong
