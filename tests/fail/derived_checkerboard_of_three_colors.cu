// error: a_checkerboard_has_two_colors<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::checkerboard(i % 16, spio::axis<K>(24) / 8); // wrong
