// compiles
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// A slice is a part of a tensor along a dimension; vectors join adjacent elements into one.
struct Four {
    float words[4];
};
constexpr auto look(Folded a) { return spio::slice<8>(a, I(4))[I(7)].get(); }
inline auto look_wide(Folded a) { return spio::as_vectors<Four>(a); }
