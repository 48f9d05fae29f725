// error: CannotBeCut=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K, i = axis<I>(16), k = axis<K>(32), Folded = tensor<float, k / 8, i,
// k % 8>.

// A tile of a folded dimension consists of whole blocks, of 8 here.
inline void f(Folded const& t) {
    auto const part = spio::tile<4>(t, K(4)); // wrong
}
