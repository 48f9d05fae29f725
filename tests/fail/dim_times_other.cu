// error: Dimension=I, NoProductWithADimension=J\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// A product of two positions would count no dimension.
constexpr auto product = I(5) * J(3); // wrong
