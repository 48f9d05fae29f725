// error: K16\b.*K8\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto quotient = K16(1) / K8(2); // wrong
