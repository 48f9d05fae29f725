// says: NotTheDynamicSizes=<>, Tensor=spio::tensor<float, spio::axis<N>.*spio::axis<I>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto a = Dynamic(nullptr); // wrong
