// error of gcc: no match for 'operator\[\]' \(operand types are 'Plain' .* and 'float'\)
// error: 'float' does not satisfy 'place'|Plain \[ float \]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[1.5f]; // wrong
