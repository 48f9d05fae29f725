// error of gcc: operand types are 'I' and 'int'
// error: I=int$|'int' to 'const I'
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A number becomes a position only explicitly: x = I(3).
constexpr I moved(I x) {
    x = 3; // wrong
    return x;
}
