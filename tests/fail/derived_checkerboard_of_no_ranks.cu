// error of clang, clang-cuda: 'a_checkerboard_has_an_even_number_of_ranks<I>\(0\)'
// error: a_checkerboard_has_an_even_number_of_ranks<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// Ranks are the cells in a row of memory, an even number and not 0.
constexpr auto axis = spio::checkerboard(i, k / 16, 0); // wrong
