// error: AbsentDimension=I, FromIndex=spio::linear_index<.*I.*K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// get() reads a position as it is counted: here I is counted in blocks of 8.
using Block = spio::compound_index<i / 8, k / 8>;
constexpr auto x = Block(3).get<I>(); // wrong
