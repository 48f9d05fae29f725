// error: OnlyAxes=<spio::derived_axis<.*\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A derived axis is made of plain axes: two functions are composed by hand.
constexpr auto reverse = [](K x) { return 31 - x.get(); };
constexpr auto axis = spio::derived(reverse, spio::derived(reverse, k)); // wrong
