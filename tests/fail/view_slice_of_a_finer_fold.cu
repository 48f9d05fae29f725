// error: CannotBeCut=K, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// A slice of a folded dimension consists of whole blocks, of 8 here.
constexpr void look(Folded a) {
    auto part = spio::slice<4>(a, K(8)); // wrong
}
