// error: a_function_needs_sizes_known_now<.*\bN\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto same = [](N x) { return x.get(); };
using Wrong = spio::tensor<float, spio::derived(same, n)>; // wrong
