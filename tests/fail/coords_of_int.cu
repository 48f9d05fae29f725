// error: OnlyDimensionsEachOnce=<I, int>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// Coordinates are made of values of dimensions; a plain number names none.
constexpr auto place = spio::make_coordinates(I(1), 2); // wrong
