// error: AbsentDimension=(Column|spio::linear_index<.*J.*), Tensor=spio::tensor<float, .*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

using Column = spio::compound_index<j / 8, j % 8>;
constexpr auto place = Plain()[Column(3)]; // wrong
