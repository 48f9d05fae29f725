// error: AbsentDimension=spio::folded<J, 8>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[spio::fold<J, 8>(3)]; // wrong
