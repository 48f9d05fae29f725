// error: (NotTheDynamicSizes=<N, N>, Tensor=|tensor<N, N, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float, n,
// i>.

// Each size that the type does not know is passed once.
constexpr auto a = Dynamic(nullptr, N(3), N(4)); // wrong
