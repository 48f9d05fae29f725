// error: not_a_plain_axis<int>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I, i = axis<I>(16).

// A compound index is made of axes; a plain number names no dimension.
using Wrong = spio::compound_index<i, 32>; // wrong
