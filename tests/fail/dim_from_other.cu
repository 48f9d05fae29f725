// error of clang, clang-cuda: from .J. to .const I\b
// error of nvcc, nvrtc: construction of .I. for inheriting constructors.*deleted
// error of gcc: NotExactlyThatDimension=J.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A value of one dimension is none of another.
constexpr I x = J(3); // wrong
