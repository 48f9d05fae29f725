// error: Dimension=(K8|.*<K, 8>), NotThatDimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// The remainder of a position is by one of the same dimension, K here.
constexpr auto rest = K8(5) % I(3); // wrong
