// Registers that move between warps, and kernels that overlap, where the chip has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/launch_control.h"
#include "spio/tile/arch.h"

namespace spio {

// All warps of a warpgroup: so many registers a thread from now on.
template <arch Arch, int Count>
    requires has_bulk_copies<Arch>
__device__ inline void shrink_registers() {
    machine::shrink_registers<Count>();
}
template <arch ArchWithoutMovableRegisters, int Count>
    requires(!has_bulk_copies<ArchWithoutMovableRegisters>)
void shrink_registers() = delete;
template <arch Arch, int Count>
    requires has_bulk_copies<Arch>
__device__ inline void grow_registers() {
    machine::grow_registers<Count>();
}
template <arch ArchWithoutMovableRegisters, int Count>
    requires(!has_bulk_copies<ArchWithoutMovableRegisters>)
void grow_registers() = delete;

// Until what the kernels before this one wrote can be read; at once on a chip where they never
// overlap.
template <arch Arch> __device__ inline void wait_for_kernels_before() {
    if constexpr (has_bulk_copies<Arch>) machine::wait_for_kernels_before();
}
// From here on the next kernel may start. A hint.
template <arch Arch> __device__ inline void let_kernels_after_start() {
    if constexpr (has_bulk_copies<Arch>) machine::let_kernels_after_start();
}

} // namespace spio
