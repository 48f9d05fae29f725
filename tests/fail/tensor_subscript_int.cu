// error: NotADimension=int, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A subscript says along which dimension it goes; a plain number names none.
constexpr auto place = Plain()[3]; // wrong
