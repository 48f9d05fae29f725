// error: a_dimension_stays_below_two_to_the_31<K, 8589934592(LL)?>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// 2^30 blocks of 8 values of K make positions that no int holds.
using Wrong = spio::tensor<float, spio::axis<K8>(1 << 30)>; // wrong
