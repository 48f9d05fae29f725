// error: Dimension=I, NoProductWithADimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimension I.

// A product of two positions would count no dimension.
constexpr auto product = I(5) * I(3); // wrong
