// error: from .int. to .*(Block|linear_index)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A number becomes a compound index only explicitly: Block(3).
using Block = spio::compound_index<i / 8, k / 8>;
constexpr Block block = 3; // wrong
