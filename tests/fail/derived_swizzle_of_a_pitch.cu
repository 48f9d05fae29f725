// error: the_pitch_belongs_to_the_derived_axis<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A swizzle computes positions from those of two axes. It has a pitch, they have none.
constexpr auto axis = spio::swizzle(k / 8, (i % 4).pitch(2)); // wrong
