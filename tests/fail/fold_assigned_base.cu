// error: K8=K$|'K' to 'const .*<K, 8>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// K8 counts blocks of 8 values of K. A K may be a part of a block: only K8(x) rounds it.
constexpr K8 moved(K8 x) {
    x = K(8); // wrong
    return x;
}
