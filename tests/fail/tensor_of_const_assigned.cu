// error of gcc: assignment of read-only location
// error of clang, clang-cuda: returns a const value
// error of nvcc, nvrtc: modifiable lvalue
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// The elements of this tensor are constant.
using Constant = spio::tensor<float const, i, k>;
constexpr void assign(Constant a) {
    *a[I(2)][K(4)] = 1.0f; // wrong
}
