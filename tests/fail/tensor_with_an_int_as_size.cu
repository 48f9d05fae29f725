// error: (NotTheDynamicSizes=<int>, Tensor=|tensor<int, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float, n,
// i>.

// The size along N comes at run time as a value of N: Dynamic(nullptr, N(3)).
constexpr auto a = Dynamic(nullptr, 3); // wrong
