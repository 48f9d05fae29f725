// error: (NotTheDynamicSizes=<J>, Tensor=|tensor<J, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto a = Dynamic(nullptr, J(3)); // wrong
