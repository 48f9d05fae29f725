// error: from .K. to .I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K.

// The values of a range over K are positions of K.
constexpr int count() {
    int count = 0;
    for (I x : spio::range(K(3))) ++count; // wrong
    return count;
}
