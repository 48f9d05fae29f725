// Copies from global to shared memory that the thread does not wait for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// 16 bytes, both addresses aligned; those beyond `bytes` become zero, and are not read.
__device__ inline void copy_16_async(void* shared, void const* global, int bytes) {
    asm volatile(
        "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
        "l"(global), "r"(bytes)
        : "memory");
}
// 4 or 8 bytes of it.
template <int Size>
    requires(Size == 4 || Size == 8)
__device__ inline void copy_async(void* shared, void const* global, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(shared)),
                 "l"(global), "n"(Size), "r"(bytes)
                 : "memory");
}

// All copies of this thread since the last commit are a group. Waiting leaves the last so many of
// its groups under way.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int UnderWay> __device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(UnderWay) : "memory");
}

} // namespace spio::machine
