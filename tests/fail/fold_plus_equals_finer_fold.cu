// error: Dimension=(K16|.*<K, 16>), FinerThanTheDimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>, K16 = fold<K, 16>.

// K16 counts blocks of 16. The left side of += has no place for a half of one.
constexpr K16 moved(K16 x) {
    x += K8(2); // wrong
    return x;
}
