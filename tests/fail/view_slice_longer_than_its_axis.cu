// error: CannotBeCut=I, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// A slice is no longer than its tensor, which has 16 rows.
constexpr void look(Folded a) {
    auto part = spio::slice<17>(a, I(0)); // wrong
}
