// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position compares with positions of its dimension only.
constexpr bool result = 5 <= I(5); // wrong
