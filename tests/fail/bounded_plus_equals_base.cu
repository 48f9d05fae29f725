// error: Dimension=spio::bounded<K, 4>, \w+=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr spio::bounded<K, 4> moved(spio::bounded<K, 4> x) {
    x += K(1); // wrong
    return x;
}
