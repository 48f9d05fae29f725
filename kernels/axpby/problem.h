// axpby, y = a x + b y over vectors of any length: its dimension, configuration and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration is how threads share the vectors. An axis is a dimension with its size, here one
// that the launch tells (dynamic); elements / 4 counts vectors of four elements. A checked_size is
// a number that becomes too large, and stays so, where an int would overflow.
#pragma once

#include "spio/checked_size.h"
#include "spio/tensor.h"
#include "spio/tile/vector.h"

namespace spio::axpby {

struct N : dim {
    using dim::dim;
};
using float4 = vec<float, 4>;

struct config {
    int threads; // of a block
    int vectors; // that a thread has in flight

    constexpr int elements_per_block() const { return 4 * threads * vectors; }
    constexpr int blocks(int n) const {
        return divup(checked_size(n), checked_size(4) * threads * vectors).as_int();
    }
};

// The last elements may not fill a vector. Then they are read one by one.
inline constexpr auto elements = axis<N>(dynamic);
using scalars = tensor<float, elements>;
using readable_scalars = tensor<float const, elements>;
using vectors = tensor<float4, elements / 4>;
using Vector = fold<N, 4>;

// Vectors of one length, each beginning at a multiple of 16 bytes.
struct params {
    float a;
    readable_scalars x;
    float b;
    scalars y;
};

} // namespace spio::axpby
