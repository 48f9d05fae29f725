// error: Dimension=I, NotThatDimension=(__nv_)?bool\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is no truth value.
constexpr bool result = I(1) < true; // wrong
