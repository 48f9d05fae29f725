// error: NoAxisOfTheTensor=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A tensor knows the sizes of its own axes. Plain has no J.
constexpr auto size = Plain::size<J>(); // wrong
