// error of nvcc, nvrtc: no operator "=" matches
// error of gcc: passing .const K. as .this. argument discards qualifiers
// error: no viable overloaded .=.
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.h"
// It has the dimensions I and K.

// The entries of constant coordinates are constant.
inline void f(spio::coords<I, K> const& c) {
    c.get<K>() = K(9); // wrong
}
