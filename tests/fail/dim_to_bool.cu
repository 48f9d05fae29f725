// error: from .I. to .const (__nv_)?bool\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is no truth value.
constexpr bool truth = I(3); // wrong
