// error: CannotBeCut=J, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I, J and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8,
// i, k % 8>.

// A slice is cut along a dimension of the tensor. Folded has no J.
constexpr void look(Folded a) {
    auto part = spio::slice<4>(a, J(0)); // wrong
}
