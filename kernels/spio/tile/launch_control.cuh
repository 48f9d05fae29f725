// Registers that move between warpgroups, and launches that overlap, where the chip has them.
// SPDX-License-Identifier: Apache-2.0
//
// A warpgroup is four warps that compute together. A kernel whose warpgroups have different tasks
// may give registers of one to another: the ones that only copy shrink, and those that compute
// grow. A function that is deleted is an error message: the names of its template parameters say
// what is wrong.
#pragma once

#include "machine/launch_control.h"
#include "spio/tile/arch.h"

namespace spio {

// Called by all warps of a warpgroup: each thread has Count registers from now on.
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

// Waits until the previous kernels have finished and their writes are visible. On a chip where
// kernels never overlap, this holds at once.
template <arch Arch> __device__ inline void wait_for_kernels_before() {
    if constexpr (has_bulk_copies<Arch>) machine::wait_for_kernels_before();
}
// Lets the next kernel of the stream start: a hint.
template <arch Arch> __device__ inline void let_kernels_after_start() {
    if constexpr (has_bulk_copies<Arch>) machine::let_kernels_after_start();
}

} // namespace spio
