// error: AbsentDimension=spio::coords<J, N>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[J(3) + N(1)]; // wrong
