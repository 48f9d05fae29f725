// error: OnlyAnAxis=spio::axis<K>, AndAnAxis=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A swizzle permutes the blocks of an axis by the position along another axis.
constexpr auto axis = spio::swizzle(k / 8, 8); // wrong
