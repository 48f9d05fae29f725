// error of clang, clang-cuda: '(spio::)?dim<Inner>' has been explicitly marked deleted
// error of nvcc, nvrtc: construction of .I. for inheriting constructors.*deleted
// error of gcc: NotExactlyThatDimension=Inner.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A struct derived from a dimension is a dimension of its own.
struct Inner : I {
    using I::I;
};
constexpr int rows(I count) { return count.get(); }
constexpr int x = rows(Inner(3)); // wrong
