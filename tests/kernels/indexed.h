// A small tensor and the same one permuted: what a compound index walks through.
// SPDX-License-Identifier: Apache-2.0
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
    float* from; // by rows
    float* to;   // by columns
    float* back; // by rows
};

} // namespace spio::indexed
