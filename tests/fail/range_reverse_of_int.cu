// error: NotADimension=<int>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A range runs along a dimension; a plain number names none.
constexpr auto values = spio::reverse_range(3); // wrong
