// error: Dimension=(K8|.*<K, 8>), NotThatDimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// K8 counts blocks of K, which do not compare with values of I.
constexpr bool result = K8(1) == I(8); // wrong
