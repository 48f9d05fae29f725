// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr I moved(I x) {
    x -= 1; // wrong
    return x;
}
