// error: a_swizzle_reads_no_more_than_it_places<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The exclusive or of 4 blocks with 8 rows leaves the 4 blocks.
constexpr auto axis = spio::swizzle(k / 8, i % 8); // wrong
