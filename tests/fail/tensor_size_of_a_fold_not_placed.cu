// error: NoAxisOfTheTensor=(K16|spio::folded<K, 16>), Tensor=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

constexpr auto size = Folded::size<K16>(); // wrong
