// error: 'int' and 'I'|int % I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// The remainder of a plain number by a position is no position.
constexpr auto rest = 5 % I(3); // wrong
