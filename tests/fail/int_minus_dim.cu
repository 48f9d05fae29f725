// error: NotADimension=int, Dimension=I\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto difference = 3 - I(5); // wrong
