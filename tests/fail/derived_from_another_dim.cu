// error of gcc: the_function_makes_no_int_of<\._anon_\d+, K>
// error: the_function_makes_no_int_of<.*lambda.*, K>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32).

// The function of a derived axis takes the dimension of the axis that it is made of.
constexpr auto reverse = [](J x) { return 31 - x.get(); };
using Wrong = spio::tensor<float, i, spio::derived(reverse, k)>; // wrong
