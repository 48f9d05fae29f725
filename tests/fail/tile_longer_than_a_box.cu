// error: copied_as_box<|copied_as_box
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Image, 100 x 64 halves (I, K).

// TMA copies at most 256 positions along a dimension.
using Long = spio::tensor<half8, spio::axis<I>(512), k / 8>;
using Wrong = spio::tensor_map<Long, Image>; // wrong
