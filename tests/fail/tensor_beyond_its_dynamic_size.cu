// clang, clang-cuda: in call to 'expects\(false\)'
// nvcc, nvrtc: __builtin_unreachable
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Few = spio::tensor<float, spio::axis<N>(spio::dynamic.up_to(8)), i>;
constexpr auto a = Few(nullptr, N(9)); // wrong
