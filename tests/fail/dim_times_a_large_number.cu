// error: a_position_is_an_int<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// A position is an int, and this product is too large for one.
constexpr auto x = K(1) * 4294967297LL; // wrong
