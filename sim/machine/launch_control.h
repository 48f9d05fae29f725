// What a kernel asks of its launch: registers, and the kernels before and after (sm_90).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spio::sim {
void change_registers(bool more, int count);
} // namespace spio::sim

namespace spio::machine {

// A warpgroup gives registers back, or takes some that others gave back: so many a thread has then.
template <int Count>
    requires(Count >= 24 && Count <= 256 && Count % 8 == 0)
inline void shrink_registers() {
    sim::change_registers(false, Count);
}
template <int Count>
    requires(Count >= 24 && Count <= 256 && Count % 8 == 0)
inline void grow_registers() {
    sim::change_registers(true, Count);
}

// Until the kernels before this one have finished and what they wrote can be read: they have.
inline void wait_for_kernels_before() {}
// The kernels after this one may start: they do when it has ended.
inline void let_kernels_after_start() {}

} // namespace spio::machine
