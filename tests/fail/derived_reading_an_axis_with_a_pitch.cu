// error: the_pitch_belongs_to_the_derived_axis<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// reading() lists what else the function takes. Only the derived axis itself has a pitch.
constexpr auto add = [](K x, I y) { return (x + K(y.get())).get() % 32; };
constexpr auto axis = spio::derived(add, k).reading(i.pitch(64)); // wrong
