// error: a_row_has_at_most_eight_cells<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), j = axis<J>(64).

// A swizzle by lines permutes the cells of 16 bytes within 128 bytes, of which there are 8.
constexpr auto axis = spio::swizzle(spio::axis<K>(16), i, j); // wrong
