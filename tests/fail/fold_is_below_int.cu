// error: Dimension=(K8|.*<K, 8>), NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// K8 counts blocks of K, which compare with values of K only.
constexpr bool result = K8(1) < 2; // wrong
