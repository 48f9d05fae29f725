// error: Dimension=I, NoProductWithADimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto product = I(5) * I(3); // wrong
