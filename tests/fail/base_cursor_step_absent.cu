// error: NoWholeBlocksOfTheCoarsestAxis=J, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A cursor that rebase() made moves along the axes of its tensor. Folded has none for J.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(J(1)); // wrong
    return place;
}
