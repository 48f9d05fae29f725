// error: 'coords<I, J>' and 'int'|coords<I, J> == int$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Coordinates compare with coordinates; a plain number names no dimension.
constexpr bool result = I(5) + J(3) == 3; // wrong
