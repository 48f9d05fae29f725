// error: not_a_plain_axis<spio::derived_axis<
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A compound index counts along plain axes. A swizzle is a function of positions.
using Wrong = spio::compound_index<spio::swizzle(k / 8, i % 4)>; // wrong
