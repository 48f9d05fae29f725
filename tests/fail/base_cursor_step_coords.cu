// error: NoWholeBlocksOfTheCoarsestAxis=spio::coords<I, .*, Tensor=.*axis<K>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, Folded =
// tensor<float, k / 8, i, k % 8>.

// A cursor that rebase() made moves by a single dimension at a time, not by coordinates of several.
constexpr auto step(Folded a) {
    auto place = a.origin().rebase();
    place.step(I(1) + K8(1)); // wrong
    return place;
}
