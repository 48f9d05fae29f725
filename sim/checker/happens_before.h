// The happens-before order of the threads of a block: what they release, and what others acquire.
// SPDX-License-Identifier: Apache-2.0
//
// A thread counts epochs: one ends whenever it releases its accesses to others. A vector clock has
// the last epoch of each thread that is known to have ended. current_write is the thread's record
// of its writes of this epoch; 0: none yet.
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// Begins a new epoch of the thread, so that what it does from now on is not covered by its earlier
// releases.
inline void begin_epoch(gpu_thread& thread) {
    thread.epoch++;
    thread.current_write = 0;
}

// Publishes all accesses of the thread so far at a synchronization object.
inline void release(gpu_thread& thread, sync_clock& object) {
    object.release(thread.number, thread.epoch, thread.clock, thread.block->clock_size());
    begin_epoch(thread);
}
inline void acquire(gpu_thread& thread, vector_clock const& clock) { thread.clock.join(clock); }

// The thread's clock, with the thread's own component raised to its current epoch.
inline vector_clock clock_of(gpu_thread const& thread) {
    auto clock = thread.clock;
    clock.raise(thread.number, thread.epoch, thread.block->clock_size());
    return clock;
}

// Records a barrier of the whole block. Every earlier access of the block happened before every
// later one, so the clocks and the race shadow start afresh.
inline void synchronize_block(gpu_block& block) {
    block.barriers_passed++;
    block.races.reset(); // the accesses of the interval, for the race detector
    block.global_races.reset();
    for (auto& thread : block.threads) thread.clock = {};
}

} // namespace spio::sim
