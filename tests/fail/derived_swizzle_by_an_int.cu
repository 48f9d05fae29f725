// clang, clang-cuda: no matching function for call to 'swizzle'
// nvcc, nvrtc: axis<K>, int\)
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto axis = spio::swizzle(k / 8, 8); // wrong
