// error: B=int\]|\(K8, int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// The greater of two positions needs two positions of one dimension.
constexpr auto x = spio::max(K8(1), 3); // wrong
