// error: from .K8. .*to .const int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A count of blocks becomes a number only by get().
constexpr int number = K8(3); // wrong
