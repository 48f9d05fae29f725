// error: OnlyAxesOfTheTensor.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.
#include "spio/orders.h"

// for_each() visits positions in the order of its axes, which are all axes of the tensor.
constexpr void visit(Plain t) {
    for_each<k>(t, [](auto) {}); // wrong
}
