// error: 'int' and 'I'|int / I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A quotient by a position is no position.
constexpr auto quotient = 8 / I(2); // wrong
