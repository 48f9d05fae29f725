// cp.async: copies from global to shared memory, for which the thread waits later.
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that are compiled for the CPU, to run on a simulated GPU, include this header where those
// for GPUs include kernels/machine/async_copy.h.
#pragma once

#include "machine/shared_address.h"

namespace spio::sim {
void start_async_copy(void* shared, void const* global, int size, int bytes);
void wait_for_copy_groups(int pending);
} // namespace spio::sim

namespace spio::machine {

// Copies 16 bytes; both addresses must be multiples of 16. Only the first `bytes` bytes are read,
// and the rest of the destination becomes zero.
inline void copy_16_async(void* shared, void const* global, int bytes) {
    sim::start_async_copy(shared, global, 16, bytes);
}
// Copies `Size` bytes, 4 or 8, in the same way; both addresses must be multiples of `Size`.
template <int Size>
    requires(Size == 4 || Size == 8)
inline void copy_async(void* shared, void const* global, int bytes) {
    sim::start_async_copy(shared, global, Size, bytes);
}

// commit_copies makes a group of all copies of this thread since the last commit. wait_for_copies
// returns when at most the last `Pending` groups are incomplete.
void commit_copies();
template <int Pending> inline void wait_for_copies() { sim::wait_for_copy_groups(Pending); }

} // namespace spio::machine
