// error: 'int' and 'I'|int / I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto quotient = 8 / I(2); // wrong
