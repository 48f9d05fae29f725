// error: AbsentDimension=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A tensor knows the extent of its own dimensions. Plain has no J.
constexpr auto extent = Plain::extent<J>(); // wrong
