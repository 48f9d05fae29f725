// error: NoWholeBlocksOfTheCoarsestAxis=K, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// Folded counts K in blocks of 8. A cursor that rebase() made cannot step by less than a block.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(K(1)); // wrong
    return place;
}
