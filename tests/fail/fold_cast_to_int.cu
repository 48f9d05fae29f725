// error: ToABaseDimension=int, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::cast<int>(K8(1)); // wrong
