// error: 'I' and 'I'|I / I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto quotient = I(8) / I(2); // wrong
