// error: NotThatDimension=I, Axis=spio::axis<K>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K.

// The size of an axis is a number or a value of its own dimension.
constexpr auto axis = spio::axis<K>(I(8)); // wrong
