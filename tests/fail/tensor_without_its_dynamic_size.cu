// error: NotTheDynamicSizes=<>, Tensor=.*axis<N>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto a = Dynamic(nullptr); // wrong
