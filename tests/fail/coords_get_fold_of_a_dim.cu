// error: AbsentDimension=spio::folded<I, 8>, FromCoordinates=spio::coords<I, J>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// get() reads an entry as it is: I is there in single values, not in blocks of 8.
constexpr auto x = (I(5) + J(3)).get<spio::fold<I, 8>>(); // wrong
