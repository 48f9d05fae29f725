// error: from .I. to .const K8\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// K8 counts blocks of K. A value of I is no K.
constexpr K8 x = I(8); // wrong
