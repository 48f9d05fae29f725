// error: Dimension=I, NotThatDimension=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Positions of two dimensions make coordinates, for which an I has no place.
constexpr I moved(I x) {
    x += J(1); // wrong
    return x;
}
