// error: NoWholeBlocksOfTheCoarsestAxis=(K8|.*<K, 8>), Tensor=.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>.

// A swizzle permutes blocks of K by their row, so that one more block is no fixed distance away.
using Swizzled = spio::tensor<float, i, spio::swizzle(k / 8, i % 4), k % 8>;
constexpr auto step(Swizzled a) {
    auto place = a.origin().rebase();
    place.step(K8(1)); // wrong
    return place;
}
