// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// A range visits the positions of a dimension in order, as values of the dimension.
constexpr int loop() {
    int count = 0;
    for (auto x : spio::range(K(3))) count += x.get();
    for (K x : spio::range(K8(1), K8(3))) count += x.get();
    for (auto x : spio::range_with_step<2>(I(5))) count += x.get();
    for (auto x : spio::reverse_range(I(2))) count += x.get();
    return count;
}
static_assert(loop() == 3 + 24 + 6 + 1);
