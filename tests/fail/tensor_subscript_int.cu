// error: NotADimension=int, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[3]; // wrong
