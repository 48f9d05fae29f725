// error: AbsentDimension=J, Cursor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[I(2)][J(3)]; // wrong
