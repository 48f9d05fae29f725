// error: ToABaseDimension=int, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// cast() renames the dimension of a value. A number comes of get().
constexpr auto x = spio::cast<int>(K8(1)); // wrong
