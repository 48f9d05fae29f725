// error of gcc: from 'coords<I, J>' to 'coords<I, K>'
// error: from .*coords<I, J>. to .const .*coords<I, K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// Coordinates of I and J convert to none of I and K.
constexpr spio::coords<I, K> place = I(1) + J(2); // wrong
