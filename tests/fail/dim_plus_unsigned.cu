// error: Dimension=I, NotADimension=unsigned int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto sum = I(5) + 3u; // wrong
