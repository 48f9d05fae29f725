// error of gcc: no match for 'operator\[\]' \(operand types are 'Plain' .* and 'float'\)
// error: 'float' does not satisfy 'place'|Plain \[ float \]
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A subscript is a position, and a fraction is none.
constexpr auto place = Plain()[1.5f]; // wrong
