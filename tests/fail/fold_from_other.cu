// error: from .I. to .const K8\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr K8 x = I(8); // wrong
