// error: NotTheDynamicSizes=<>, Tensor=.*axis<N>.*axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float, n,
// i>.

// The size along N is not part of the type, so it comes with the pointer.
constexpr auto a = Dynamic(nullptr); // wrong
