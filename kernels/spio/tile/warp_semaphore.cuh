// A semaphore for warps: a bounded number holds it at a time, in the order of their requests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/atomic.h"
#include "machine/fence.h"
#include "spio/tile/warp.cuh"

namespace spio {

// It lies in shared memory. One thread calls init, then the block synchronizes.
class warp_semaphore {
  public:
    __device__ void init(int count) {
        asked_ = 0;
        admitted_ = static_cast<unsigned>(count);
    }
    // Called by all lanes of a warp together.
    __device__ void acquire() {
        if (is_first_lane()) {
            unsigned const ticket = machine::atomic_add(&asked_, 1);
            // Tickets below `admitted_` hold the semaphore; both counters wrap around.
            while (static_cast<int>(machine::load_acquire(&admitted_) - ticket) <= 0) {
                machine::nap(20); // nanoseconds
            }
        }
        sync_warp();
    }
    __device__ void release() {
        sync_warp();
        if (is_first_lane()) {
            machine::fence_block();
            machine::atomic_add(&admitted_, 1);
        }
    }

  private:
    unsigned asked_;
    unsigned admitted_;
};

} // namespace spio
