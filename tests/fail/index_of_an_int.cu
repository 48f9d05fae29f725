// error: not_a_plain_axis<int>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A compound index is made of axes; a plain number names no dimension.
using Wrong = spio::compound_index<i, 32>; // wrong
