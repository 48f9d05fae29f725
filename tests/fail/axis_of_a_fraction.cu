// error: NotThatDimension=double\b.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension K.

// The size of an axis is a whole number.
constexpr auto axis = spio::axis<K>(3.7); // wrong
