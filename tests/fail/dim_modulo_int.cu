// error: Dimension=I, NotThatDimension=int\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto rest = I(5) % 3; // wrong
