// axpby, y = a x + b y over vectors of any length.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axpby/problem.h"
#include "spio/compound_index.h"
#include "spio/range.h"
#include "spio/tile/arithmetic.cuh"
#include "spio/tile/thread.cuh"

namespace spio::axpby {

__device__ inline float sum_of(params const& p, float x, float y) {
    return multiply_add(p.a, x, p.b * y);
}

// A block has neighbours; a thread has vectors that are a block of threads apart.
template <config Config> __device__ void run(params const& p) {
    constexpr auto block = axis<N>(Config.elements_per_block());
    using Block = fold<N, block.size>;
    using Thread = compound_index<block % (4 * Config.threads) / 4>;
    using Step = fold<N, 4 * Config.threads>;

    auto const here = Block(this_block()) + Thread(this_thread());
    auto const all = p.y.extent<N>();
    auto const whole = Vector(all);
    auto const x = vectors(reinterpret_cast<float4*>(const_cast<float*>(p.x.get())), all)[here];
    auto const y = vectors(reinterpret_cast<float4*>(p.y.get()), all)[here];
    float4 from_x[Config.vectors];
    float4 from_y[Config.vectors];
#pragma unroll
    for (auto const step : range(Step(Config.vectors))) {
        if (here + step < whole) {
            from_x[step.get()] = *x[step];
            from_y[step.get()] = *y[step];
        }
    }
#pragma unroll
    for (auto const step : range(Step(Config.vectors))) {
        if (here + step < whole) {
            float4 sum;
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                sum[n] = sum_of(p, from_x[step.get()][n], from_y[step.get()][n]);
            }
            *y[step] = sum;
        }
    }

    // What does not fill a vector.
    auto const rest = N(whole) + N(this_thread());
    if (this_block() == 0 && rest < all) {
        float const last_x = *p.x[rest];
        auto const last_y = p.y[rest];
        *last_y = sum_of(p, last_x, *last_y);
    }
}

} // namespace spio::axpby
