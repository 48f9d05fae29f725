// error: a_slice_lies_in_its_tensor<.*\bI\b
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32).

// A slice lies in its tensor: 4 rows from row 14 on leave the 16.
inline constexpr float data[512] = {};
constexpr auto part = spio::slice<4>(spio::tensor<float const, i, k>(data), I(14)); // wrong
