// error: (NotTheDynamicSizes=<int>, Tensor=|tensor<int, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto a = Dynamic(nullptr, 3); // wrong
