// The memory checker: every access of a kernel to shared or global memory passes it first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

struct access_info {
    access kind;
    char const* name; // in reports
    int alignment;    // that the access needs
};

inline bool is_aligned(void const* address, int alignment) {
    return reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(alignment) == 0;
}

// Checks an access to any address. Only shared memory and the arena are watched.
void check_access(gpu_thread& thread, void const* address, int bytes, access_info const& info);

// The offset of some bytes of the block's own shared memory; any other place is a misuse.
int shared_offset(gpu_thread& thread, void const* address, int bytes, char const* name,
                  int alignment);
// Checks an access to shared memory: state of the bytes, and races. Marks what is written.
void access_shared(gpu_thread& thread, int offset, int bytes, access_info const& info);
// Checks for races alone.
void check_race(gpu_thread& thread, accessor const& accessor, int offset, int bytes,
                access_info const& info);
inline accessor accessor_of(gpu_thread const& thread) {
    return {thread.number, thread.epoch, thread.clock, thread.number};
}
// The number under which the block remembers what the thread writes, until it releases or fences.
unsigned current_write_of(gpu_thread& thread);

// Checks an access to global memory. Addresses outside the arena are not watched.
void check_global(gpu_thread& thread, void const* address, std::intptr_t bytes,
                  access_info const& info);

} // namespace spio::sim
