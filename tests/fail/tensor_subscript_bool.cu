// error of gcc: no match for 'operator\[\]' \(operand types are 'Plain' .* and 'bool'\)
// error: 'bool' does not satisfy 'place'|Plain \[ __nv_bool \]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A subscript is a position, and a truth value is none.
constexpr auto place = Plain()[true]; // wrong
