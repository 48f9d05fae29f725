// error: NoAxisOfTheTensor=(K16|spio::folded<K, 16>), Tensor=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// size() is that of an axis: Folded has blocks of 8 and positions in them, not blocks of 16.
constexpr auto size = Folded::size<K16>(); // wrong
