// error of clang, clang-cuda: 'tensor<I, .*axis<I>.*axis<K>.*explicitly marked deleted
// error: NotTheDynamicSizes=<I>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Pitched = spio::tensor<float, i.pitch(spio::dynamic), k>;
inline void f(float* p) {
    auto a = Pitched(p, I(16)); // wrong
}
