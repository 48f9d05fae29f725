// error: NoWholeBlocksOfTheCoarsestAxis=spio::folded<K, 4>, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// Folded counts K in blocks of 8. A cursor that rebase() made cannot step by blocks of 4.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(spio::fold<K, 4>(2)); // wrong
    return place;
}
