// cp.async: copies from global to shared memory, for which the thread waits later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::machine {

// Copies 16 bytes between aligned addresses. Those beyond `bytes` are not read, and become zero.
__device__ inline void copy_16_async(void* shared, void const* global, int bytes) {
    asm volatile(
        "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
        "l"(global), "r"(bytes)
        : "memory");
}
// The same for 4 or 8 bytes.
template <int Size>
    requires(Size == 4 || Size == 8)
__device__ inline void copy_async(void* shared, void const* global, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(shared)),
                 "l"(global), "n"(Size), "r"(bytes)
                 : "memory");
}

// A commit makes a group of all copies of this thread since the last commit. A wait returns when at
// most the last `Pending` groups are incomplete.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending> __device__ inline void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

} // namespace spio::machine
