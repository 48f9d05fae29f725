// Fences: what others see of this thread's memory, and in which order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// What this thread wrote before is seen before what it writes after: by the block, by the device.
void fence_block();
void fence_device();
// What this thread wrote to shared memory is seen by the copy engine (sm_90).
void fence_for_bulk_copies();
// The barriers that this thread made are seen by the cluster and by the copy engine (sm_90).
void fence_mbarrier_init();

} // namespace spio::machine
