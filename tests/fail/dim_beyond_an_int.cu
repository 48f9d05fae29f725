// error: a_position_is_an_int<.*\bdim\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// A position is an int, and this number is too large for one.
constexpr auto x = K(4294967295u); // wrong
