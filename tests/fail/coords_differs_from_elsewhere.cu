// error: Place=spio::coords<I, J>, NoDimensionOfIt=spio::coords<K>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// Coordinates compare in the dimensions that both have. These have none in common.
constexpr bool result = I(1) + J(2) != spio::coords<K>(K(3)); // wrong
