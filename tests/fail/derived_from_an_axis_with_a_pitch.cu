// error: the_pitch_belongs_to_the_derived_axis<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A derived axis computes positions from those of others. It has a pitch, they have none.
constexpr auto reverse = [](K x) { return 31 - x.get(); };
constexpr auto axis = spio::derived(reverse, k.pitch(2)); // wrong
