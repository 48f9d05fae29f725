// error: NoWholeBlocksOfTheCoarsestAxis=J, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8,
// i, k % 8>.

// A cursor that rebase() made moves along the axes of its tensor. Folded has none for J.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(J(1)); // wrong
    return place;
}
