// error: Dimension=(K8|.*<K, 8>), FinerThanTheDimension=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr K8 moved(K8 x) {
    x -= K(8); // wrong
    return x;
}
