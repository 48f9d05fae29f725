// error: Place=spio::coords<I, J>, NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A plain number names no dimension to subtract it from.
constexpr auto difference = I(5) + J(3) - 1; // wrong
