// error: copied_as_box<|copied_as_box
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"
// It has Image, 100 x 64 halves (I, K).

// TMA keeps the order of axes: rows of I outside, as in Image, so this tile cannot be copied.
using Columns = spio::tensor<half8, k / 8, i>;
using Wrong = spio::tensor_map<Columns, Image>; // wrong
