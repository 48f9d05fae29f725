// clang, clang-cuda: 'int' does not satisfy 'index'
// nvcc, nvrtc: argument types are: \(int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::refold<16>(5); // wrong
