// error: NotTheDynamicSizes=<>, Tensor=.*axis<N>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// The size along N is not part of the type, so it comes with the pointer.
constexpr auto a = Dynamic(nullptr); // wrong
