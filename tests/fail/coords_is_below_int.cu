// error: 'coords<I, J>' and 'int'|coords<I, J> < int$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr bool result = I(5) + J(3) < 3; // wrong
