// error: from .K. to .I\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr int count() {
    int count = 0;
    for (I x : spio::range(K(3))) ++count; // wrong
    return count;
}
