// error of clang, clang-cuda: 'tensor<I, .*axis<I>.*axis<K>.*explicitly marked deleted
// error: NotTheDynamicSizes=<I>, Tensor=.*axis<I>.*axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The pitch, the distance of two rows in memory, is not known now. It is passed as pitch<I>(32).
using Pitched = spio::tensor<float, i.pitch(spio::dynamic), k>;
inline void f(float* p) {
    auto a = Pitched(p, I(16)); // wrong
}
