// error: NotAVectorOf=\w*Sixteen, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A vector covers adjacent elements. Folded has only 8 adjacent positions of K.
struct Sixteen {
    float words[16];
};
constexpr void look(Folded a) {
    auto vectors = spio::as_vectors<Sixteen>(a); // wrong
}
