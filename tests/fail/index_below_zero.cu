// error: an_index_counts_from_0<
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A compound index is one number that stands for several positions. It counts from 0.
using Index = spio::compound_index<i, k>;
constexpr auto x = Index(-1); // wrong
