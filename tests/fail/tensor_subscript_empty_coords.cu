// error: AbsentDimension=spio::coords<>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[spio::coords<>()]; // wrong
