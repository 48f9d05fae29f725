// clang, clang-cuda: no matching function for call to 'checkerboard'
// nvcc, nvrtc: axis<I>, int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::checkerboard(i, 2); // wrong
