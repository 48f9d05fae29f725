// error: CannotBeCut=K.*deleted
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"

inline void f(Folded const& t) {
    auto const part = spio::tile<4>(t, K(4)); // wrong
}
