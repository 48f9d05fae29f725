// error: Dimension=I, NotThatDimension=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Positions of two dimensions do not compare, even if their numbers are equal.
constexpr bool result = I(5) == J(5); // wrong
