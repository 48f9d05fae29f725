// error: Dimension=spio::bounded<K, 4>, NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// bounded<K, 4> is a value of K from 0 to 3. A plain number is no K.
constexpr auto sum = spio::bounded<K, 4>(1) + 1; // wrong
