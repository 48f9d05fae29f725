// error: Place=spio::coords<I, J>, NoDimensionOfIt=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// Coordinates compare in the dimensions that both have. These have no K.
constexpr bool result = I(5) + J(3) >= K(0); // wrong
