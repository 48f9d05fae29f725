// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// Both bounds of a position are positions: I(0) <= x.
constexpr bool result = 0 <= I(5) && I(5) < I(8); // wrong
