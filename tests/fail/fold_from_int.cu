// error: from .int. to .*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// A number becomes a count of blocks only explicitly: K8(3).
constexpr K8 x = 3; // wrong
