// axpby, y = a x + b y over vectors of any length.
// SPDX-License-Identifier: Apache-2.0
//
// axis<D>(n) is the dimension D with n values; fold<D, n>, or axis / n, counts it in blocks of n. A
// tensor is a pointer with axes, outermost first. A subscript is a position along some of its axes,
// and returns a cursor: a place in the tensor, with an address. Config says how many threads a
// block has, and how many vectors a thread. A compound index is one number for several indices, the
// last of which varies fastest.
//
//     x, y  global --vectors of four--> registers --fused multiply and add--> global y
//
// A thread loads Config.vectors vectors of x and of y, each 4 * Config.threads elements after the
// one before, and then computes. Threads do not synchronize.
#pragma once

#include "axpby/problem.h"
#include "spio/compound_index.h"
#include "spio/range.h"
#include "spio/tile/arithmetic.cuh"
#include "spio/tile/thread.cuh"

namespace spio::axpby {

// a x + b y for one element: the product b y is rounded, and then one fused operation adds a x.
__device__ inline float sum_of(params const& p, float x, float y) {
    return multiply_add(p.a, x, p.b * y);
}

template <config Config> __device__ void run(params const& p) {
    constexpr auto block = axis<N>(Config.elements_per_block());
    // Positions count in units of a block's elements (Block), of a thread's vector of four
    // (Thread), and from one vector of a thread to its next (Step).
    using Block = fold<N, block.size>;
    using Thread = compound_index<block % (4 * Config.threads) / 4>;
    using Step = fold<N, 4 * Config.threads>;

    auto const position = Block(this_block()) + Thread(this_thread());
    auto const size = p.y.extent<N>();
    auto const vector_count = Vector(size);
    auto const x =
        vectors(reinterpret_cast<float4*>(const_cast<float*>(p.x.get())), size)[position];
    auto const y = vectors(reinterpret_cast<float4*>(p.y.get()), size)[position];
    float4 x_values[Config.vectors];
    float4 y_values[Config.vectors];
#pragma unroll
    for (auto const step : range(Step(Config.vectors))) {
        if (position + step < vector_count) {
            x_values[step.get()] = *x[step];
            y_values[step.get()] = *y[step];
        }
    }
#pragma unroll
    for (auto const step : range(Step(Config.vectors))) {
        if (position + step < vector_count) {
            float4 sum;
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                sum[n] = sum_of(p, x_values[step.get()][n], y_values[step.get()][n]);
            }
            *y[step] = sum;
        }
    }

    // The last elements, which fill no vector: up to three threads of block 0 take one each.
    auto const remainder = N(vector_count) + N(this_thread());
    if (this_block() == 0 && remainder < size) {
        float const last_x = *p.x[remainder];
        auto const last_y = p.y[remainder];
        *last_y = sum_of(p, last_x, *last_y);
    }
}

} // namespace spio::axpby
