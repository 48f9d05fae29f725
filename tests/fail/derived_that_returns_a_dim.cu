// error of gcc: the_function_makes_no_int_of<\._anon_\d+, K>
// error: the_function_makes_no_int_of<.*lambda.*, K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The function of a derived axis returns a position as an int.
constexpr auto reverse = [](K x) { return K(31) - x; };
using Wrong = spio::tensor<float, i, spio::derived(reverse, k)>; // wrong
