// error: a_position_is_an_int<.*\bdim\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = K(4294967295u); // wrong
