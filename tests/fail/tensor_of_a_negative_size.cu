// error of clang, clang-cuda: a_dynamic_size_is_from_0_to_its_greatest<N, 2147483647(LL)?>\(-1\)
// error: a_dynamic_size_is_from_0_to_its_greatest<.*\bN, (Most=)?.*2147483647
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and N, i = axis<I>(16), n = axis<N>(dynamic), Dynamic = tensor<float, n,
// i>.

// A size that comes at run time is not negative.
constexpr auto a = Dynamic(nullptr, N(-1)); // wrong
