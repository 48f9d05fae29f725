// The ceiling of wgmma: warpgroups multiply tiles that are in shared memory from the start.
// SPDX-License-Identifier: Apache-2.0
//
// wgmma is the instruction by which four warps multiply matrices from shared memory. A block copies
// its tiles once and multiplies them again and again, so that nothing but products takes time; a
// ring has tiles of several stages. push<T>() takes room for a tensor T from the block's shared
// memory, and returns it and the rest. axis<K>(64) is the dimension K with 64 values, k / 8 its
// blocks of 8. origin() is a tensor's cursor at position zero.
#pragma once

#include "ceiling/problem.h"
#include "spio/swizzle.h"
#include "spio/tile/bulk_copy.cuh"
#include "spio/tile/warpgroup.cuh"

namespace ceiling::wgmma {

using ceiling::params;
using namespace spio;

// Each warpgroup has 64 rows of the block's sums. A warpgroup is four warps, 128 threads, so that
// the block has two threads for each row.
template <config Config> __device__ __forceinline__ void run(params const& p) {
    constexpr axis<STAGE> stages{Config.stages};
    constexpr axis<M> m{Config.m};
    constexpr axis<N> n{Config.n};
    constexpr axis<K> k{Config.depth()};
    constexpr axis<M> rows{64};
    using cell = vec<bfloat16, 8>;
    using a_ring = tensor<cell, stages, m, swizzle(k / 8, m % 8)>;
    using b_ring = tensor<cell, stages, n, swizzle(k / 8, n % 8)>;
    constexpr int threads = 2 * Config.m;

    auto const memory = dynamic_shared_memory<Config.shared_bytes()>();
    auto const as = memory.template push<a_ring>();
    auto const bs = as.rest.template push<b_ring>();
    auto* const cells = as.tensor.get();
    auto const* const source = reinterpret_cast<cell const*>(p.numbers);
    for (int i = this_thread(); i < Config.shared_bytes() / 16; i += threads) cells[i] = source[i];
    fence_for_bulk_copies<sm_90a>();
    sync_block();

    auto const a = described<M>(as.tensor[fold<M, 64>(this_warpgroup().get())]);
    auto const b = described<N>(bs.tensor.origin());
    warpgroup_sum<sm_90a, rows, n> sum;
    int stage = 0;
#pragma unroll 1
    for (int step = 0; step < p.steps; ++step) {
        {
            product_group group(sum, /*accumulates=*/step > 0);
            bounded<STAGE, Config.stages> const current(stage);
            multiply(group, a[current], b[current]);
        }
        sum.template wait<1>();
        stage = stage + 1 == Config.stages ? 0 : stage + 1;
    }
    auto const& fragment = sum.finished();
    float total = 0;
    for (auto const& row : fragment.values) {
        for (float const value : row) total += value;
    }
    p.sums[this_block() * threads + this_thread()] = total;
}

} // namespace ceiling::wgmma
