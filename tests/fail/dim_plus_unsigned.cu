// error: Dimension=I, NotADimension=unsigned int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A plain number names no dimension, of whatever type it is.
constexpr auto sum = I(5) + 3u; // wrong
