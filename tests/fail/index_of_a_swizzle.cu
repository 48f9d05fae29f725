// error: not_a_plain_axis<spio::derived_axis<
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A compound index counts along plain axes. A swizzle is a function of positions.
using Wrong = spio::compound_index<spio::swizzle(k / 8, i % 4)>; // wrong
