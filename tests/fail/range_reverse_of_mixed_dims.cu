// error: 'I' vs\. 'J'|\(I, J\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Both bounds of a range are of one dimension.
constexpr auto values = spio::reverse_range(I(1), J(3)); // wrong
