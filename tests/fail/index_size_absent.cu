// error: AbsentOrOpenDimension=J, Index=.*I, 8.*K, 8.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32).

// A compound index knows the size of what it counts: I and K, not J.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr int size = Block::size<J>(); // wrong
