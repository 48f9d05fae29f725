// error: NotAVectorOf=\w*Three, Tensor=(Folded|.*axis<K>.*axis<I>.*)\].*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// A vector covers adjacent elements. The 8 adjacent positions of K make no whole threes.
struct Three {
    float words[3];
};
constexpr void look(Folded a) {
    auto vectors = spio::as_vectors<Three>(a); // wrong
}
