// error: from .int. to .*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr K8 x = 3; // wrong
