// error: (NotTheDynamicSizes=<N, I>, Tensor=|tensor<N, I, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float, n,
// i>.

// Only sizes that the type does not know are passed. It knows that of I.
constexpr auto a = Dynamic(nullptr, N(3), I(16)); // wrong
