// error of gcc: from 'I' to 'bool'
// error: convertible to .?bool
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A position is no truth value.
constexpr int sign(I x) {
    if (x) return 1; // wrong
    return 0;
}
