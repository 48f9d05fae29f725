// clang, clang-cuda: 'int' does not satisfy 'index'
// nvcc, nvrtc: argument types are: \(K8\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::cast<int>(K8(1)); // wrong
