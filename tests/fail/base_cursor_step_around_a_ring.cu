// error: NoWholeBlocksOfTheCoarsestAxis=K, Tensor=.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A ring takes positions modulo its size, but a cursor that rebase() made only adds to an address.
using Ring = spio::tensor<float, k.ring(), i>;
constexpr auto step(Ring a) {
    auto place = a.origin().rebase();
    place.step(K(1)); // wrong
    return place;
}
