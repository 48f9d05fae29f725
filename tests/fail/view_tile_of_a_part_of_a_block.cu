// error: CannotBeCut=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

// A tile of a folded dimension consists of whole blocks, of 8 here.
inline void f(Folded const& t) {
    auto const part = spio::tile<4>(t, K(4)); // wrong
}
