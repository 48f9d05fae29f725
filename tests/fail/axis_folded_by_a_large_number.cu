// error: a_position_is_an_int<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// An axis is divided into blocks, whose length is an int.
constexpr auto axis = k / 4294967304LL; // wrong
