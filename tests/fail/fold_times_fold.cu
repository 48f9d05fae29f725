// error: Dimension=(K8|.*<K, 8>), NoProductWithADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// A product of two positions would count no dimension.
constexpr auto product = K8(1) * K8(2); // wrong
