// error: Place=K, NoDimensionOfIt=spio::coords<I, J>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// A position compares with coordinates that have its dimension. These have no K.
constexpr bool result = K(0) < I(5) + J(3); // wrong
