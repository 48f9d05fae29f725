// error: a_row_has_at_most_eight_cells<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::swizzle(spio::axis<K>(16), i, j); // wrong
