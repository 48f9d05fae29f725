// error of gcc: I::I\(J\)
// error of clang, clang-cuda: cast from 'J' to 'I'
// error of nvcc, nvrtc: argument types are: \(J\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = I(J(3)); // wrong
