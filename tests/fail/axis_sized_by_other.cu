// error: NotThatDimension=I, Axis=spio::axis<K>\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::axis<K>(I(8)); // wrong
