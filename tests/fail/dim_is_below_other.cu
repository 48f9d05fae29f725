// error: Dimension=I, NotThatDimension=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr bool result = I(5) < J(5); // wrong
