// error: Place=(Block|spio::linear_index<.*), NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A plain number names none of the dimensions of a compound index.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr auto sum = Block(3) + 1; // wrong
