// Fences: the order in which others see what this thread writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Others see what this thread wrote before the fence no later than what it writes after it: threads
// of the block, or of the device.
void fence_block();
void fence_device();
// The TMA engine sees what this thread wrote to shared memory (sm_90).
void fence_for_bulk_copies();
// The cluster and the TMA engine see the mbarriers that this thread initialised (sm_90).
void fence_mbarrier_init();

} // namespace spio::machine
