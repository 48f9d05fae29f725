// error: not_a_plain_axis<int>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Wrong = spio::compound_index<i, 32>; // wrong
