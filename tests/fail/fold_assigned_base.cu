// error: K8=K$|'K' to 'const .*<K, 8>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr K8 moved(K8 x) {
    x = K(8); // wrong
    return x;
}
