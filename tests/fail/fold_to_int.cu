// error: from .K8. .*to .const int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// A count of blocks becomes a number only by get().
constexpr int number = K8(3); // wrong
