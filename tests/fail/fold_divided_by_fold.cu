// error: K16\b.*K8\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>, K16 = fold<K, 16>.

// K8 and K16 count blocks of K. A quotient of two positions is no position.
constexpr auto quotient = K16(1) / K8(2); // wrong
