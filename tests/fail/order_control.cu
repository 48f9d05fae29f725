// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has i = axis<I>(16), k = axis<K>(32), K8 = fold<K, 8>, Plain = tensor<float, i, k>.
#include "spio/inverse.h"
#include "spio/orders.h"

// position() is the inverse of an offset; for_each() visits positions in the order of given axes.
static_assert(position(Plain(), 35) == I(1) + K(3) && spio::refold_up<8>(K(9)) == K8(2));
constexpr int visited(Plain t) {
    int count = 0;
    for_each<k / 8, i, k % 8>(t, [&](auto) { ++count; });
    return count;
}
static_assert(visited(Plain()) == 512);
