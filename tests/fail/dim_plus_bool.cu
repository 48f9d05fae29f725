// error: 'I' and 'bool'|I \+ __nv_bool$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is no truth value, and a truth value counts nothing.
constexpr auto sum = I(5) + true; // wrong
