// error: AbsentDimension=spio::coords<>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// Coordinates without any dimension select nothing.
constexpr auto place = Plain()[spio::coords<>()]; // wrong
