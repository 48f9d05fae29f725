// Fences: the order in which others see what this thread writes.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/fence.h.
#pragma once

namespace spio::machine {

// Orders the writes of this thread before the fence ahead of those after it, as other threads see
// them: threads of the block (fence_block) or of the device (fence_device).
void fence_block();
void fence_device();
// Makes what this thread wrote to shared memory visible to the TMA engine (sm_90).
void fence_for_bulk_copies();
// Makes the mbarriers that this thread initialised visible to the cluster and to the TMA engine
// (sm_90).
void fence_mbarrier_init();

} // namespace spio::machine
