// error: Dimension=(K8|.*<K, 8>), FinerThanTheDimension=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// K8 counts blocks of 8 values of K. The left side of += has no place for a part of a block.
constexpr K8 moved(K8 x) {
    x += K(8); // wrong
    return x;
}
