// error: copied_as_box<|copied_as_box
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

using Long = spio::tensor<half8, spio::axis<I>(512), k / 8>;
using Wrong = spio::tensor_map<Long, Image>; // wrong
