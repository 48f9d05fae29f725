// error: AbsentDimension=(Column|spio::linear_index<.*J.*), Tensor=spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), j = axis<J>(64), k = axis<K>(32), Plain =
// tensor<float, i, k>.

// A compound index subscripts by the dimensions of the tensor. Plain has no J.
using Column = spio::compound_index<j / 8, j % 8>;
constexpr auto place = Plain()[Column(3)]; // wrong
