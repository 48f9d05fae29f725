// error: NoAxisOfTheTensor=J, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Plain()[I(2)].size<J>(); // wrong
