// error: Dimension=spio::bounded<K, 4>, NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto sum = spio::bounded<K, 4>(1) + 1; // wrong
