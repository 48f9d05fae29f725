// error: a_checkerboard_has_two_colors<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16).

// A checkerboard alternates two columns of cells; here there are 24 / 8 = 3.
constexpr auto axis = spio::checkerboard(i % 16, spio::axis<K>(24) / 8); // wrong
