// error: Dimension=spio::bounded<K, 4>, \w+=K\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3. A sum could leave the bounds, so it is another type.
constexpr spio::bounded<K, 4> moved(spio::bounded<K, 4> x) {
    x += K(1); // wrong
    return x;
}
