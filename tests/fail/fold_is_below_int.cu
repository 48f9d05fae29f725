// error: Dimension=(K8|.*<K, 8>), NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr bool result = K8(1) < 2; // wrong
