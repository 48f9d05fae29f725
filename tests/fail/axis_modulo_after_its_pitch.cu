// error: fold_the_axis_before_it_gets_a_pitch<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = k.pitch(64) % 8; // wrong
