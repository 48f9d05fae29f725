// Registers that move between warps, and kernels that overlap (sm_90).
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/launch_control.h.
#pragma once

namespace spio::sim {
void change_registers(bool grows);
} // namespace spio::sim

namespace spio::machine {

// Sets the number of registers of each thread of a warpgroup to `Count`. shrink_registers gives
// registers up, which other warps can take; grow_registers takes more. The simulator has no limit
// on registers.
template <int Count>
    requires(Count >= 24 && Count <= 256 && Count % 8 == 0)
inline void shrink_registers() {
    sim::change_registers(false);
}
template <int Count>
    requires(Count >= 24 && Count <= 256 && Count % 8 == 0)
inline void grow_registers() {
    sim::change_registers(true);
}

// Waits until the kernels before this one have ended and their writes are visible. In the simulator
// they always have ended, but a launch that may overlap them must not access global memory before
// this call.
void wait_for_kernels_before();
// Lets the next kernel start early. In the simulator the next kernel starts when this one has
// ended.
inline void let_kernels_after_start() {}

} // namespace spio::machine
