// error: a_pitch_is_not_negative<.*derived_axis<.*\bK>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A pitch is the distance in memory between neighbours along an axis, in elements; it is not
// negative.
constexpr auto reverse = [](K x) { return 31 - x.get(); };
constexpr auto axis = spio::derived(reverse, k).pitch(-5); // wrong
