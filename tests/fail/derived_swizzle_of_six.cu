// error: a_swizzle_needs_a_power_of_two<.*\bK\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16).

// A swizzle combines positions by exclusive or, which stays below a power of two only.
constexpr auto axis = spio::swizzle(spio::axis<K>(48) / 8, i % 8); // wrong
