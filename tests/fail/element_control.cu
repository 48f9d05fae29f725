// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, Folded =
// tensor<float, k / 8, i, k % 8>.

// An element is what * reads where each dimension has a subscript, or first() replaces the rest.
constexpr float sum(Folded a, spio::tensor<float, i, k / 8> blocks) {
    auto const row = a[I(3)];
    return *row[K(13)] + *row[K8(1)] + *row.first() + *row.rebase()[K8(1)] + *a.first() +
           *blocks[I(3)][K8(K(13))] + *blocks[I(3)].first();
}
