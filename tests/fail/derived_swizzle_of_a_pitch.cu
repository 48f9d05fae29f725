// error: the_pitch_belongs_to_the_derived_axis<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::swizzle(k / 8, (i % 4).pitch(2)); // wrong
