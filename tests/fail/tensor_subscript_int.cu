// error: NotADimension=int, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A subscript says along which dimension it goes; a plain number names none.
constexpr auto place = Plain()[3]; // wrong
