// error: AbsentDimension=spio::coords<>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// Coordinates without any dimension select nothing.
constexpr auto place = Plain()[spio::coords<>()]; // wrong
