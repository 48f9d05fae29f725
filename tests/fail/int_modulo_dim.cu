// error: 'int' and 'I'|int % I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto rest = 5 % I(3); // wrong
