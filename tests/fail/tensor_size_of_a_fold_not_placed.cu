// error: NoAxisOfTheTensor=(K16|spio::folded<K, 16>), Tensor=.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), K16 = fold<K, 16>, Folded =
// tensor<float, k / 8, i, k % 8>.

// size() is that of an axis: Folded has blocks of 8 and positions in them, not blocks of 16.
constexpr auto size = Folded::size<K16>(); // wrong
