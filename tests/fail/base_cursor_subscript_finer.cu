// error: NoWholeBlocksOfTheCoarsestAxis=K, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// Folded counts K in blocks of 8. K(8) is one block in value, but its type allows parts of one.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place = place[K(8)]; // wrong
    return place;
}
