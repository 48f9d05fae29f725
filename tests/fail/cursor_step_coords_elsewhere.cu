// error: AbsentDimension=spio::coords<J, N>, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J, K and N, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i,
// k>.

// A cursor steps along the dimensions of its tensor. Plain has neither J nor N.
constexpr auto step(Plain a) {
    auto place = a[I(2)];
    place.step(J(1) + N(1)); // wrong
    return place;
}
