// error: Dimension=spio::bounded<K, 4>, NotThatDimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr bool result = spio::bounded<K, 4>(1) == I(1); // wrong
