// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, Plain =
// tensor<float, i, k>.

// A cursor is a tensor with some subscripts applied: it steps, takes more, and knows its bounds.
constexpr auto step(Plain a) {
    auto place = a[I(2)];
    place.step(I(1)).step(K8(1) + J(3));
    return place[K(1)];
}
static_assert(step(Plain()).inbounds() && step(Plain()).size<I>() == I(16));
