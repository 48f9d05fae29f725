// error: from .I. to .const int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr int number = I(3); // wrong
