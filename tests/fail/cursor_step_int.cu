// error: NotADimension=int, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A step says along which dimension it goes.
constexpr auto step(Plain a) {
    auto place = a[I(2)];
    place.step(1); // wrong
    return place;
}
