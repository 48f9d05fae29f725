// says: NoAxisOfTheTensor=(K8|spio::folded<K, 8>), Tensor=spio::tensor<float, spio::axis<I>.*spio::axis<K>.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Plain::size<K8>(); // wrong
