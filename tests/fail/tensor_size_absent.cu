// error: NoAxisOfTheTensor=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A tensor knows the sizes of its own axes. Plain has no J.
constexpr auto size = Plain::size<J>(); // wrong
