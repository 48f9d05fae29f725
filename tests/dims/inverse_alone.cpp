// The header of inverses brings what it needs: a kernel may include it alone.
// SPDX-License-Identifier: Apache-2.0
//
// position(tensor, offset), the inverse of a tensor, is the position of the element at an offset.
#include "spio/inverse.h"

namespace {

struct I : spio::dim {
    using dim::dim;
};
struct K : spio::dim {
    using dim::dim;
};
using rows = spio::tensor<float, spio::axis<I>(4), spio::axis<K>(8)>;
static_assert(position(rows(), 19) == I(2) + K(3));

} // namespace
