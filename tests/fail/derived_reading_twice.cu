// error: OnlyAxesAllAtOnce=<spio::axis<J>>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), j = axis<J>(64), k = axis<K>(32).

// reading() lists all the axes that the function takes besides its own, in one call.
constexpr auto reverse = [](K x) { return 31 - x.get(); };
constexpr auto axis = spio::derived(reverse, k).reading(i).reading(j); // wrong
