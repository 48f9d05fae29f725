// Fences: what others see of this thread's memory, and in which order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// What this thread wrote before is seen before what it writes after: by the block, by the device.
__device__ inline void fence_block() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
__device__ inline void fence_device() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
// What this thread wrote to shared memory is seen by the copy engine (sm_90).
__device__ inline void fence_for_bulk_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// The barriers that this thread made are seen by the cluster and by the copy engine (sm_90).
__device__ inline void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

} // namespace spio::machine
