// error: AbsentDimension=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A subscript selects along a dimension of the tensor. Plain has no J.
constexpr auto place = Plain()[J(3)]; // wrong
