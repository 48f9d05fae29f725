// error: NoWholeBlocksOfTheCoarsestAxis=spio::folded<K, 4>, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// Folded counts K in blocks of 8. A cursor that rebase() made cannot step by blocks of 4.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(spio::fold<K, 4>(2)); // wrong
    return place;
}
