// error: the_pitch_belongs_to_the_derived_axis<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A checkerboard computes the places of its cells, so it alone decides on distances in memory.
constexpr auto axis = spio::checkerboard(i.pitch(4), k / 16); // wrong
