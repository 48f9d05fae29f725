// error: AbsentDimension=J, FromIndex=spio::linear_index<.*I.*K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32).

// A compound index knows the positions that its number stands for: of I and K, not of J.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr auto x = Block(3).get<J>(); // wrong
