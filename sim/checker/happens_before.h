// The happens-before order of a block: what threads release, and what others acquire.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// What the thread does from now on belongs to none of its earlier releases.
inline void begin_epoch(gpu_thread& thread) {
    thread.epoch++;
    thread.current_write = 0;
}

// Publishes all accesses of the thread so far at a synchronization object.
inline void release(gpu_thread& thread, sync_clock& object) {
    object.release(thread.number, thread.epoch, thread.clock, thread.block->observers());
    begin_epoch(thread);
}
inline void acquire(gpu_thread& thread, vector_clock const& clock) { thread.clock.join(clock); }

// The thread's clock, with its own epoch.
inline vector_clock clock_of(gpu_thread const& thread) {
    auto clock = thread.clock;
    clock.raise(thread.number, thread.epoch, thread.block->observers());
    return clock;
}

// All threads of the block wait for all others. Whatever happened until now happened before what
// follows, so that the clocks and the race shadow start afresh.
inline void synchronize_block(gpu_block& block) {
    block.generation++;
    block.races.reset();
    for (auto& thread : block.threads) thread.clock = {};
}

} // namespace spio::sim
