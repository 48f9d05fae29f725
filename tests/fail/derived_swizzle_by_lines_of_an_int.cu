// error: OnlyAnAxis=spio::axis<K>, AndAnAxis=spio::axis<I>, AndOneMore=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::swizzle(k / 8, i, 8); // wrong
