// error: Dimension=(K8|.*<K, 8>), NotThatDimension=spio::folded<I, 8>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// Blocks of K do not compare with blocks of I.
constexpr bool result = K8(1) == spio::fold<I, 8>(1); // wrong
