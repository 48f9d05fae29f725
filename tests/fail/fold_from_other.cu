// error: from .I. to .const K8\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// K8 counts blocks of K. A value of I is no K.
constexpr K8 x = I(8); // wrong
