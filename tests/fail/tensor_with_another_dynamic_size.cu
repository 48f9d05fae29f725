// error: (NotTheDynamicSizes=<J>, Tensor=|tensor<J, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float,
// n, i>.

// The size along N comes at run time as a value of N, not of J.
constexpr auto a = Dynamic(nullptr, J(3)); // wrong
