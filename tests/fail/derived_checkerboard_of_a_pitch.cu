// error: the_pitch_belongs_to_the_derived_axis<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::checkerboard(i.pitch(4), k / 16); // wrong
