// error: axis<K>.*axis<I>
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = k + i; // wrong
