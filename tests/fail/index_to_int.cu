// error: from .Block. .*to .const int\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A compound index becomes a number only by get().
using Block = spio::compound_index<i / 8, k / 8>;
constexpr int number = Block(3); // wrong
