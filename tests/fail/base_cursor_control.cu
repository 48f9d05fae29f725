// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, K16 = fold<K,
// 16>, Folded = tensor<float, k / 8, i, k % 8>.

// rebase() commits a cursor to an address, which moves by whole blocks of the coarsest axis only.
using Swizzled = spio::tensor<float, i, spio::swizzle(k / 8, i % 4), k % 8>;
constexpr auto step(Folded a) {
    auto place = a[K(3)].rebase();
    place.step(K8(1)).step(I(3)).step(K16(1));
    return place[I(1)];
}
constexpr auto step(Swizzled a) { return a[K(3)].rebase()[spio::fold<I, 4>(2)]; }
