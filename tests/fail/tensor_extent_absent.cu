// error: AbsentDimension=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A tensor knows the extent of its own dimensions. Plain has no J.
constexpr auto extent = Plain::extent<J>(); // wrong
