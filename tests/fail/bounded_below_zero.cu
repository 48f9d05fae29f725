// clang, clang-cuda: in call to 'expects\(false\)'
// nvcc, nvrtc: __builtin_unreachable
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto x = spio::bounded<K, 4>(-1); // wrong
