// error: NoAxisOfTheTensor=J, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A cursor knows the sizes of the axes of its tensor. Plain has no J.
constexpr auto size = Plain()[I(2)].size<J>(); // wrong
