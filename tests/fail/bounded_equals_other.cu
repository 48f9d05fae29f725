// error: Dimension=spio::bounded<K, 4>, NotThatDimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K.

// bounded<K, 4> is a value of K from 0 to 3. It compares with values of K only.
constexpr bool result = spio::bounded<K, 4>(1) == I(1); // wrong
