// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr bool result = I(5) >= 5; // wrong
