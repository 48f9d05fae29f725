// error: NotADimension=int, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A step says along which dimension it goes.
constexpr auto step(Plain a) {
    auto place = a[I(2)];
    place.step(1); // wrong
    return place;
}
