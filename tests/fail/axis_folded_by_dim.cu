// error: axis<K>(' and '| / )K\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// An axis is divided by the length of a block, which is a plain number.
constexpr auto axis = k / K(8); // wrong
