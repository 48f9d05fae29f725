// error: axis<K>.*axis<I>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// An axis is a dimension with a size. Axes are listed in a tensor, not added.
constexpr auto axis = k + i; // wrong
