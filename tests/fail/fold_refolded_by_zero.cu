// clang, clang-cuda: '0 > 0'
// nvcc, nvrtc: argument types are: \(K\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::refold<0>(K(8)); // wrong
