// error: 'Block'.* and 'int'|Block == int$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A compound index compares with positions; its number alone comes of get().
using Block = spio::compound_index<i / 8, k / 8>;
constexpr bool result = Block(3) == 3; // wrong
