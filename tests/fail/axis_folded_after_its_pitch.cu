// error: fold_the_axis_before_it_gets_a_pitch<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A pitch is the distance in memory of two steps along an axis. Blocks of it would keep none.
constexpr auto axis = k.pitch(64) / 8; // wrong
