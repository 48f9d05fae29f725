// error: Place=spio::coords<I, J>, NoDimensionOfIt=spio::coords<>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Coordinates compare in the dimensions that both have. Empty ones have none.
constexpr bool result = I(5) + J(3) == spio::coords<>(); // wrong
