// error: OnlyAxes=<int>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// A derived axis is made of axes, which say what its function takes.
constexpr auto reverse = [](K x) { return 31 - x.get(); };
constexpr auto axis = spio::derived(reverse, 32); // wrong
