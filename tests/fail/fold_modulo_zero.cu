// error: ToAPositiveSize=0, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// modulo<4>(x) is the position of a block among 4. Among 0 there is none.
constexpr auto x = spio::modulo<0>(K8(3)); // wrong
