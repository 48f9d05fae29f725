// error: a_function_needs_sizes_known_now<.*\bN\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension N, n = axis<N>(dynamic).

// A derived axis tries its function for all positions. The size of n is known only at run time.
constexpr auto same = [](N x) { return x.get(); };
using Wrong = spio::tensor<float, spio::derived(same, n)>; // wrong
