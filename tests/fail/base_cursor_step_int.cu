// error: NotADimension=int, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A step says along which dimension it goes.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(1); // wrong
    return place;
}
