// error: 'Block'.* and 'int'|Block == int$
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A compound index compares with positions; its number alone comes of get().
using Block = spio::compound_index<i / 8, k / 8>;
constexpr bool result = Block(3) == 3; // wrong
