// What a kernel asks of its launch: registers, and the kernels before and after (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::machine {

// A warpgroup gives registers back, or takes some that others gave back: so many a thread has then.
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

// Until the kernels before this one have finished and what they wrote can be read.
__device__ inline void wait_for_kernels_before() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
// The kernels after this one may start.
__device__ inline void let_kernels_after_start() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

} // namespace spio::machine
