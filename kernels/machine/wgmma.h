// wgmma: a warpgroup computes c += a b on the tensor cores, from shared memory (sm_90a).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/wgmma_bfloat16s.h"
#include "machine/wgmma_halves.h"
#include "machine/wgmma_other_bfloat16s.h"
#include "machine/wgmma_other_halves.h"

namespace spio::machine {

// Orders the accesses of this warp to its accumulators before the products that follow.
__device__ inline void fence_warpgroup() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// A commit makes a group of all products since the last commit. A wait returns when at most the
// last `Pending` groups are incomplete.
__device__ inline void commit_warpgroup_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Pending> __device__ inline void wait_for_warpgroup_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
// Keeps the compiler from moving a use of an accumulator across this place.
__device__ inline void pin_accumulator(float& value) { asm volatile("" : "+f"(value)::"memory"); }

} // namespace spio::machine
