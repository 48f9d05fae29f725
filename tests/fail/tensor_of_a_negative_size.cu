// clang, clang-cuda: in call to 'expects\(false\)'
// nvcc, nvrtc: __builtin_unreachable
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto a = Dynamic(nullptr, N(-1)); // wrong
