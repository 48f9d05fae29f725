// error of gcc: operand types are 'I' and 'J'
// error: I=J$|'J' to 'const I'
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A value of one dimension is none of another.
constexpr I moved(I x) {
    x = J(3); // wrong
    return x;
}
