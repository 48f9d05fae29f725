// error: Dimension=I, NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A plain number names no dimension: I(5) + I(3).
constexpr auto sum = I(5) + 3; // wrong
