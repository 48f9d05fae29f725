// error of gcc: the_function_makes_no_int_of<\._anon_\d+, folded<K, 8>>
// error: the_function_makes_no_int_of<.*lambda.*<K, 8>>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The function takes two dimensions, but the derived axis was made of one.
constexpr auto add = [](K x, I y) { return x.get() + y.get(); };
using Wrong = spio::tensor<float, i, spio::derived(add, k / 8), k % 8>; // wrong
