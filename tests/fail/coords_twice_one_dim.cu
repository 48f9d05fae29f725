// error: OnlyDimensionsEachOnce=<I, I>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// Coordinates have one entry for each dimension.
constexpr auto place = spio::make_coordinates(I(1), I(2)); // wrong
