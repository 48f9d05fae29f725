// error of clang, clang-cuda: 'a_pitch_is_not_negative<K>\(-1\)'
// error: a_pitch_is_not_negative<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// A pitch is the distance in memory of two steps along an axis; it is not negative.
constexpr auto axis = k.pitch(-1); // wrong
