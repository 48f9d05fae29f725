// error: OnlyAnAxis=spio::axis<K>, AndAnAxis=spio::axis<I>, AndOneMore=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// This swizzle permutes cells by a line of 128 bytes, whose number two axes make up.
constexpr auto axis = spio::swizzle(k / 8, i, 8); // wrong
