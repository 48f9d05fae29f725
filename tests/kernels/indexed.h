// A small tensor, the same tensor permuted, and a compound index into both.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#pragma once

#include "spio/tensor.h"

namespace spio::indexed {

struct X : dim {
    using dim::dim;
};
struct C : dim {
    using dim::dim;
};
inline constexpr auto x = axis<X>(64);
inline constexpr auto c = axis<C>(4);
using by_rows = tensor<float, x, c>;
using by_columns = tensor<float, c, x>;
using Thread = compound_index<x, c>;

struct params {
    float* source;   // by rows
    float* permuted; // by columns
    float* restored; // by rows
};

} // namespace spio::indexed
