// error: A=spio::coords<I, J>, B=K\]|coords<I, J> \+= K$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// The result of += has the type of its left side, which has no place for K.
constexpr spio::coords<I, J> moved(spio::coords<I, J> x) {
    x += K(1); // wrong
    return x;
}
