// Copies by asynchronous copies of 16 bytes, the next one under way while one is written out.
// SPDX-License-Identifier: Apache-2.0
#include "memcpy.h"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/thread.cuh"

namespace spio::memcpy {

template <config Config> __device__ void run(params const& p) {
    using Block = fold<N, Config.elements_per_block()>;
    using Step = fold<N, Config.elements_per_step()>;
    using Thread = compound_index<step<Config> / 4>;

    auto const memory = dynamic_shared_memory<shared_bytes<buffers<Config>>>();
    auto const here = Block(this_block()) + Thread(this_thread());
    auto const from = source(p.from, N(p.n))[here];
    auto const to = target(p.to, N(p.n))[here];
    auto const mine = memory.template push<buffers<Config>>().tensor[Thread(this_thread())];

    copy_async(mine[STAGE(0)], from, from.inbounds());
    commit_copies();
    for (auto const now : range(Step(Config.steps))) {
        auto const next = from[now + Step(1)];
        if (now + Step(1) < Step(Config.steps)) {
            copy_async(mine[STAGE(now.get() + 1)], next, next.inbounds());
        }
        commit_copies();
        wait_for_copies<1>();
        if (to[now].inbounds()) *to[now] = *mine[STAGE(now.get())];
    }
}

} // namespace spio::memcpy

extern "C" __global__ void memcpy_256x16(spio::memcpy::params p) {
    spio::memcpy::run<spio::memcpy::in_256>(p);
}
