// Kernels with one bug each, on purpose, for the tools that must find it.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#pragma once

#include "spio/tensor.h"

namespace spio::planted {

struct N : dim {
    using dim::dim;
};
inline constexpr auto n = axis<N>(64);
using row = tensor<float, n>;

struct params {
    float* input;
    float* output;
};

} // namespace spio::planted
