// error: Place=(Block|spio::linear_index<.*), NoDimensionOfIt=spio::coords<J, N>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32).

// A compound index compares in the dimensions that both have, here none.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr bool result = Block(3) < J(3) + N(1); // wrong
