// error: 'I' and 'I'|I / I$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is divided by a plain number: I(8) / 2.
constexpr auto quotient = I(8) / I(2); // wrong
