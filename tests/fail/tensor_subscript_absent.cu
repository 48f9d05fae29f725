// error: AbsentDimension=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A subscript selects along a dimension of the tensor. Plain has no J.
constexpr auto place = Plain()[J(3)]; // wrong
