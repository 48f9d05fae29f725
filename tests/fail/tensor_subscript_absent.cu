// error: AbsentDimension=J, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = Plain()[J(3)]; // wrong
