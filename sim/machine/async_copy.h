// Copies from global to shared memory that the thread does not wait for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/shared_address.h"

namespace spio::sim {
void copy_asynchronously(void* shared, void const* global, int size, int bytes);
void wait_for_copy_groups(int under_way);
} // namespace spio::sim

namespace spio::machine {

// 16 bytes, both addresses aligned; those beyond `bytes` become zero, and are not read.
inline void copy_16_async(void* shared, void const* global, int bytes) {
    sim::copy_asynchronously(shared, global, 16, bytes);
}
// 4 or 8 bytes of it.
template <int Size>
    requires(Size == 4 || Size == 8)
inline void copy_async(void* shared, void const* global, int bytes) {
    sim::copy_asynchronously(shared, global, Size, bytes);
}

// All copies of this thread since the last commit are a group. Waiting leaves the last so many of
// its groups under way.
void commit_copies();
template <int UnderWay> inline void wait_for_copies() { sim::wait_for_copy_groups(UnderWay); }

} // namespace spio::machine
