// error: NoWholeBlocksOfTheCoarsestAxis=I, Tensor=.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A swizzle permutes blocks of K by their row: the next row is no fixed distance away.
using Swizzled = spio::tensor<float, i, spio::swizzle(k / 8, i % 4), k % 8>;
constexpr auto step(Swizzled a) {
    auto place = a.origin().rebase();
    place.step(I(1)); // wrong
    return place;
}
