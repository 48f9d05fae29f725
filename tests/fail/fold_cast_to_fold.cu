// clang, clang-cuda: folded<J, 8>
// nvcc, nvrtc: argument types are: \(K8\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::cast<spio::fold<J, 8>>(K8(1)); // wrong
