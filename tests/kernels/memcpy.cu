// Copies by cp_async: the next step is loaded while one is written out.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves. A compound index is one number for several
// indices, the last of which varies fastest. push<T>() takes room for a tensor T from the block's
// shared memory, and returns it and the rest. A ring is an axis around which positions wrap.
//
// In each of its steps a thread copies a vector of 4 elements. `source` and `target` are the arrays
// in such vectors, `buffers` the ring of two stages in shared memory, each of which has the vectors
// of a step; `in_256` is the configuration of 256 threads and 16 steps.
#include "memcpy.h"
#include "spio/tile/async_copy.cuh"
#include "spio/tile/thread.cuh"

namespace spio::memcpy {

template <config Config> __device__ void run(params const& p) {
    using Block = fold<N, Config.elements_per_block()>;
    using Step = fold<N, Config.elements_per_step()>;
    using Thread = compound_index<step<Config> / 4>;

    auto const memory = dynamic_shared_memory<shared_bytes<buffers<Config>>>();
    auto const position = Block(this_block()) + Thread(this_thread());
    auto const input = source(p.input, N(p.n))[position];
    auto const output = target(p.output, N(p.n))[position];
    auto const ring = memory.template push<buffers<Config>>().tensor[Thread(this_thread())];

    // A copy that is not inbounds, beyond the n elements, writes zeros.
    copy_async(ring[STAGE(0)], input, input.inbounds());
    commit_copies();
    for (auto const offset : range(Step(Config.steps))) {
        auto const next = input[offset + Step(1)];
        if (offset + Step(1) < Step(Config.steps)) {
            copy_async(ring[STAGE(offset.get() + 1)], next, next.inbounds());
        }
        commit_copies();
        wait_for_copies<1>();
        if (output[offset].inbounds()) *output[offset] = *ring[STAGE(offset.get())];
    }
}

} // namespace spio::memcpy

// The next step is loaded while one is written out. (GPU.memcpy)
extern "C" __global__ void memcpy_256x16(spio::memcpy::params p) {
    spio::memcpy::run<spio::memcpy::in_256>(p);
}
