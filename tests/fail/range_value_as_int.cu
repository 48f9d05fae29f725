// error: from .K. to .int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// The values of a range are positions, which become numbers only by get().
constexpr int count() {
    int count = 0;
    for (int x : spio::range(K(3))) ++count; // wrong
    return count;
}
