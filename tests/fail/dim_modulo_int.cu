// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// The remainder of a position is by a position: I(5) % I(3).
constexpr auto rest = I(5) % 3; // wrong
