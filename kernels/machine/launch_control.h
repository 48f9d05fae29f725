// Registers that move between warps, and kernels that overlap (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// Sets the registers of each thread of a warpgroup: fewer, which others can take, or more.
template <int Count>
    requires(Count >= 24 && Count <= 256 && Count % 8 == 0)
__device__ inline void shrink_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
    requires(Count >= 24 && Count <= 256 && Count % 8 == 0)
__device__ inline void grow_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

// Waits until the kernels before this one have ended, and what they wrote can be read.
__device__ inline void wait_for_kernels_before() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
// Lets the next kernel start early.
__device__ inline void let_kernels_after_start() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

} // namespace spio::machine
