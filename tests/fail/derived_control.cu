// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A derived axis computes its position from logical ones by a function.
constexpr auto reverse = [](K x) { return 31 - x.get(); };
using Reversed = spio::tensor<float, i, spio::derived(reverse, k)>;
static_assert(Reversed::storage_size() == 512);
using Line = spio::tensor<float const, spio::derived(reverse, k)>;
constexpr float const* first(Line a) { return a[K(31)].get(); }
static_assert(first(Line()) == nullptr);
