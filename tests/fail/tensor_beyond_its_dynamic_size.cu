// error of clang, clang-cuda: a_dynamic_size_is_from_0_to_its_greatest<N, 8(LL)?>\(9\)
// error: a_dynamic_size_is_from_0_to_its_greatest<.*\bN, (Most=)?.*8
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16).

// The size along N comes at run time, and is at most 8.
using Few = spio::tensor<float, spio::axis<N>(spio::dynamic.up_to(8)), i>;
constexpr auto a = Few(nullptr, N(9)); // wrong
