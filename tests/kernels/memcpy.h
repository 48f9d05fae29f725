// A copy through shared memory: its dimension, configuration and parameters.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A ring is an axis around which positions wrap.
#pragma once

#include "spio/tensor.h"
#include "spio/tile/shared_memory.h"
#include "spio/tile/vector.h"

namespace spio::memcpy {

struct N : dim {
    using dim::dim;
};
struct STAGE : dim {
    using dim::dim;
};
using float4 = vec<float, 4>;

// A thread copies a vector of 4 elements in each step.
struct config {
    int threads;
    int steps; // of a block

    constexpr int elements_per_step() const { return 4 * threads; }
    constexpr int elements_per_block() const { return elements_per_step() * steps; }
    constexpr int blocks(int n) const { return divup(n, elements_per_block()); }
};

// A multiple of 4 elements, both arrays aligned to 16 bytes.
struct params {
    float4 const* input;
    float4* output;
    int n;
};

inline constexpr auto elements = axis<N>(dynamic);
using source = tensor<float4 const, elements / 4>;
using target = tensor<float4, elements / 4>;

// Shared memory of a block: a ring of two stages, each with the vectors of one step.
inline constexpr auto stage = axis<STAGE>(2).ring();
template <config Config> inline constexpr axis<N> step{Config.elements_per_step()};
template <config Config> using buffers = tensor<float4, stage, step<Config> / 4>;

inline constexpr config in_256 = {.threads = 256, .steps = 16};

} // namespace spio::memcpy
