// error: 'I' and 'float'|I \+ float$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is a whole number.
constexpr auto sum = I(5) + 1.5f; // wrong
