// clang, clang-cuda: 'int' does not satisfy 'index'
// nvcc, nvrtc: \(I, int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto place = spio::make_coordinates(I(1), 2); // wrong
