// clang, clang-cuda: '0 > 0'
// nvcc, nvrtc: argument types are: \(K8\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::modulo<0>(K8(3)); // wrong
