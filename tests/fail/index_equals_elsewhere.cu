// error: Place=(Block|spio::linear_index<.*), NoDimensionOfIt=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32).

// A compound index stands for positions of I and K. It does not compare with one of J.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr bool result = Block(3) == J(3); // wrong
