// Registers that move between warps, and kernels that overlap (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::sim {
void change_registers(bool grows);
} // namespace spio::sim

namespace spio::machine {

// Sets the registers of each thread of a warpgroup: fewer, which others can take, or more.
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

// Waits until the kernels before this one have ended, and what they wrote can be read. Here they
// always have, but a launch that overlaps them must not access global memory before.
void wait_for_kernels_before();
// Lets the next kernel start early. Here it starts when this one has ended.
inline void let_kernels_after_start() {}

} // namespace spio::machine
