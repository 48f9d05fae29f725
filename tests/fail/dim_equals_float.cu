// error: 'I' and 'float'|I == float$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is a whole number and compares with positions only.
constexpr bool result = I(1) == 1.0f; // wrong
