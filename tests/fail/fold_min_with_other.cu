// error: same_base<I, .*\bK, 8> ?>' evaluated to false|\(K8, I\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, K8 = fold<K, 8>.

// The lesser of two positions needs two positions of one dimension.
constexpr auto x = spio::min(K8(1), I(2)); // wrong
