// error: 'K8'.* vs\. 'K'|\(K8, K\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// Both bounds of a range have one type: blocks of 8, or single values of K.
constexpr auto values = spio::range(K8(1), K(30)); // wrong
