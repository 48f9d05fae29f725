// error: a_position_is_an_int<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// An axis is a dimension with a size, and positions along it are ints.
constexpr auto axis = spio::axis<K>(4294967301LL); // wrong
