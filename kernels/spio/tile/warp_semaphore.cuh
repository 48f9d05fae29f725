// A semaphore for warps: so many may go on at a time, in the order in which they asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/atomic.h"
#include "machine/fence.h"
#include "spio/tile/warp.cuh"

namespace spio {

// Its words lie in shared memory. One thread calls init, then the block syncs.
class warp_semaphore {
  public:
    __device__ void init(int count) {
        asked_ = 0;
        admitted_ = static_cast<unsigned>(count);
    }
    // All lanes of a warp, together.
    __device__ void acquire() {
        if (is_first_lane()) {
            unsigned const ticket = machine::atomic_add(&asked_, 1);
            // Tickets below `admitted_` may go on; both wrap around.
            while (static_cast<int>(machine::load_acquire(&admitted_) - ticket) <= 0) {
                machine::nap(20);
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
