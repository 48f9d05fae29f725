// The ceiling of mma.sync: warps multiply fragments that are in registers from the start.
// SPDX-License-Identifier: Apache-2.0
//
// mma.sync is the instruction by which a warp multiplies matrices in registers. A fragment is a
// lane's part of one. Nothing is loaded in the loop, so that nothing but products takes time.
// axis<K>(32) is the dimension K with 32 values.
#pragma once

#include "ceiling/problem.h"
#include "spio/tile/multiply.cuh"

namespace ceiling::mma_sync {

using ceiling::params;
using namespace spio;

// Fills fragments with numbers, two for each register of a lane.
template <class Fragment, int Count>
__device__ __forceinline__ void fill(Fragment (&fragments)[Count], unsigned short const* numbers) {
    using words = vec<pair<bfloat16>, Fragment::count>;
#pragma unroll
    for (int n = 0; n < Count; ++n) {
        auto const drawn = reinterpret_cast<words const*>(numbers)[32 * n + this_lane().get()];
        for (int r = 0; r < Fragment::count; ++r) fragments[n].registers[r] = drawn[r];
    }
}

// A warp has 64 x 64 sums, 128 of each lane, and as many warps run as the sides have room for. Its
// factors are 64 x 32 and 32 x 64 numbers, so that a step of depth 64 multiplies them twice.
template <config Config> __device__ __forceinline__ void run(params const& p) {
    constexpr axis<M> m16{16};
    constexpr axis<N> n16{16};
    constexpr axis<K> k16{16};
    using A = left_fragment<bfloat16, m16, k16>;
    using B = right_fragment<bfloat16, k16, n16>;
    using C = sum_fragment<m16, n16>;
    using As = tensor<A, axis<K>(32) / 16, axis<M>(64) / 16>;
    using Bs = tensor<B, axis<K>(32) / 16, axis<N>(64) / 16>;
    using Cs = tensor<C, axis<M>(64) / 16, axis<N>(64) / 16>;
    A a[As::storage_size()];
    B b[Bs::storage_size()];
    C c[Cs::storage_size()];
    fill(a, p.numbers);
    fill(b, p.numbers + 4096); // other numbers than those of a, which are 2048
    for (C& fragment : c) fragment.zero();
#pragma unroll 1
    for (int step = 0; step < p.steps; ++step) {
        multiply(Cs(c), As(a), Bs(b));
        multiply(Cs(c), As(a), Bs(b));
    }
    float total = 0;
    for (C const& fragment : c) {
        for (auto const& pair : fragment.registers) total += pair[0] + pair[1];
    }
    p.sums[this_block() * Config.m * Config.n / 128 + this_thread()] = total;
}

} // namespace ceiling::mma_sync
