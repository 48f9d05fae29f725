// error: NotADimension=int, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// A step says along which dimension it goes.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(1); // wrong
    return place;
}
