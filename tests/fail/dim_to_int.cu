// error: from .I. to .const int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position becomes a number only by get().
constexpr int number = I(3); // wrong
