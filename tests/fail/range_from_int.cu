// error: 'int' vs\. 'I'|\(int, I\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// Both bounds of a range are positions: range(I(0), I(3)).
constexpr auto values = spio::range(0, I(3)); // wrong
