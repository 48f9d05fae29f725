// error: 'coords<I, J>' and 'I'|coords<I, J> \* I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Coordinates are multiplied by plain numbers only: a product of dimensions counts neither.
constexpr auto product = (I(5) + J(3)) * I(2); // wrong
