// error of nvcc, nvrtc: argument types are: \(J\)
// error of clang, clang-cuda: cast from 'J' to 'I'
// error of gcc: I.J.' is ambiguous
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and J.

// Even an explicit conversion makes no I of a J; cast<I>() says that it is meant.
constexpr auto x = I(J(3)); // wrong
