// error: NoWholeBlocksOfTheCoarsestAxis=K, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// Folded counts K in blocks of 8. K(8) is one block in value, but its type allows parts of one.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place = place[K(8)]; // wrong
    return place;
}
