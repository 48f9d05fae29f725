// error of gcc: no match for 'operator\[\]' \(operand types are 'Plain' .* and 'float'\)
// error: 'float' does not satisfy 'place'|Plain \[ float \]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A subscript is a position, and a fraction is none.
constexpr auto place = Plain()[1.5f]; // wrong
