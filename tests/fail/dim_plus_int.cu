// error: Dimension=I, NotADimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto sum = I(5) + 3; // wrong
