// error: NoWholeBlocksOfTheCoarsestAxis=K, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place = place[K(8)]; // wrong
    return place;
}
