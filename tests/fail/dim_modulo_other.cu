// error: Dimension=I, NotThatDimension=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// The remainder of a position is by one of the same dimension.
constexpr auto rest = I(5) % J(3); // wrong
