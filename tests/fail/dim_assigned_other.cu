// error of clang, clang-cuda: '(spio::)?dim<J>' has been explicitly marked deleted
// error of nvcc, nvrtc: construction of .I. for inheriting constructors.*deleted
// error of gcc: NotExactlyThatDimension=J.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A value of one dimension is none of another.
constexpr I moved(I x) {
    x = J(3); // wrong
    return x;
}
