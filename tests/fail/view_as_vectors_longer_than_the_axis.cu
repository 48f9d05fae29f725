// error: NotAVectorOf=\w*Sixteen, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

struct Sixteen {
    float words[16];
};
constexpr void look(Folded a) {
    auto vectors = spio::as_vectors<Sixteen>(a); // wrong
}
