// error: AbsentDimension=K, FromCoordinates=spio::coords<I, J>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K.

// drop() removes a dimension that the coordinates have.
constexpr auto x = (I(5) + J(3)).drop<K>(); // wrong
