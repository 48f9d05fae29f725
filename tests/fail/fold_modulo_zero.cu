// error: ToAPositiveSize=0, OnlyADimension=(K8|.*<K, 8>)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::modulo<0>(K8(3)); // wrong
