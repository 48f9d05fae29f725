// error: (NotTheDynamicSizes=<I>, Tensor=|tensor<I, )spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Plain = tensor<float, i, k>.

// A tensor whose type knows all sizes takes none.
constexpr auto a = Plain(nullptr, I(16)); // wrong
