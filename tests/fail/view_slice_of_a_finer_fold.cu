// error: CannotBeCut=K, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A slice of a folded dimension consists of whole blocks, of 8 here.
constexpr void look(Folded a) {
    auto part = spio::slice<4>(a, K(8)); // wrong
}
