// error: NotADimension=int, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A subscript says along which dimension it goes.
constexpr auto place = Plain()[I(2)][3]; // wrong
