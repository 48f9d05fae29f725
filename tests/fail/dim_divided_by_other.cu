// error: 'I' and 'J'|I / J$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A quotient of two dimensions would count neither of them.
constexpr auto quotient = I(8) / J(2); // wrong
