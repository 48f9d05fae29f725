// error of clang, clang-cuda: 'the_fold_must_divide_the_axis<K>\(32, 5\)'
// error: the_fold_must_divide_the_axis<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, k = axis<K>(32).

// The 32 positions of k make no whole blocks of 5.
constexpr auto axis = k % 5; // wrong
