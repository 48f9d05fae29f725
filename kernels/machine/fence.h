// Fences: the order in which others see what this thread writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Others see what this thread wrote before the fence no later than what it writes after it: threads
// of the block, or of the device.
__device__ inline void fence_block() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
__device__ inline void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
// The TMA engine sees what this thread wrote to shared memory (sm_90).
__device__ inline void fence_for_bulk_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// The cluster and the TMA engine see the mbarriers that this thread initialised (sm_90).
__device__ inline void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

} // namespace spio::machine
