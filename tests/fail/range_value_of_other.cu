// error of clang, clang-cuda: from .K. to .I\b
// error of nvcc, nvrtc: construction of .I. for inheriting constructors.*deleted
// error of gcc: NotExactlyThatDimension=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// The values of a range over K are positions of K.
constexpr int count() {
    int count = 0;
    for (I x : spio::range(K(3))) ++count; // wrong
    return count;
}
