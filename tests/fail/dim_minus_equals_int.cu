// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A plain number names no dimension: x -= I(1).
constexpr I moved(I x) {
    x -= 1; // wrong
    return x;
}
