// error: Dimension=(K8|.*<K, 8>), NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// A plain number names no dimension: K8(1) + K8(1).
constexpr auto sum = K8(1) + 1; // wrong
