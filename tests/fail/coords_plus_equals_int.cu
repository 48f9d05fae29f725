// error: A=spio::coords<I, J>, B=int\]|coords<I, J> \+= int$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A plain number names no dimension to add it to.
constexpr spio::coords<I, J> moved(spio::coords<I, J> x) {
    x += 1; // wrong
    return x;
}
