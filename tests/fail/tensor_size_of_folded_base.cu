// says: NoAxisOfTheTensor=spio::folded<K, 16>, Tensor=spio::tensor<float, spio::axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Folded::size<K16>(); // wrong
