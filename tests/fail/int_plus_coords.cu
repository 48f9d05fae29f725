// error: 'int' and 'coords<I, J>'|int \+ spio::coords<I, J>$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A plain number names no dimension to add it to.
constexpr auto sum = 1 + (I(5) + J(3)); // wrong
