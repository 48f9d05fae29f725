// says: a_line_has_eight_cells_or_less_to_a_row<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::swizzle(spio::axis<K>(16), i, j); // wrong
