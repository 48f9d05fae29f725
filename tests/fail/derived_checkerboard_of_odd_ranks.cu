// error of clang, clang-cuda: 'a_checkerboard_has_an_even_number_of_ranks<I>\(3\)'
// error: a_checkerboard_has_an_even_number_of_ranks<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// Ranks are the cells in a row of memory. Pairs of cells make it up, so their number is even.
constexpr auto axis = spio::checkerboard(i, k / 16, 3); // wrong
