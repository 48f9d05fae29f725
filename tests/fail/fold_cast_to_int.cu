// error: ToABaseDimension=int, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K, K8 = fold<K, 8>.

// cast() renames the dimension of a value. A number comes of get().
constexpr auto x = spio::cast<int>(K8(1)); // wrong
