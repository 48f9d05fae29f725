// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position compares with positions of its dimension only.
constexpr bool result = I(5) < 5; // wrong
