// error: NoAxisOfTheTensor=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Plain::size<J>(); // wrong
