// error: Dimension=(K8|.*<K, 8>), NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// K8 counts blocks of K, which compare with values of K only.
constexpr bool result = 0 < K8(1); // wrong
