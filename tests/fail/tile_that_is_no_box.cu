// error: copied_as_box<|copied_as_box
// SPDX-License-Identifier: Apache-2.0
#include "tile.h"

using Columns = spio::tensor<half8, k / 8, i>;
using Wrong = spio::tensor_map<Columns, Image>; // wrong
