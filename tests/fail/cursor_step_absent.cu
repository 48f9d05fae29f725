// error: AbsentDimension=J, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A cursor steps along the dimensions of its tensor. Plain has no J.
constexpr auto step(Plain a) {
    auto place = a[I(2)];
    place.step(J(1)); // wrong
    return place;
}
