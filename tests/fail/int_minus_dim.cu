// error: NotADimension=int, Dimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A plain number names no dimension: I(3) - I(5).
constexpr auto difference = 3 - I(5); // wrong
