// The memory checker: every access of a kernel to shared or global memory passes it first.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU; it is recorded for the report of
// the launch, and the thread is abandoned. The arena is the simulated global memory.
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

struct access_info {
    access kind;
    char const* name; // how reports call the access: "a read"
    int alignment;    // in bytes, that the access needs
};

// Whether an address is a multiple of `alignment` bytes.
inline bool is_aligned(void const* address, int alignment) {
    return reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(alignment) == 0;
}

// Checks an access to any address. Addresses that are neither in shared memory nor in the arena of
// global memory are not checked.
void check_access(gpu_thread& thread, void const* address, int bytes, access_info const& info);

// Returns the offset of `address` in the shared memory of the thread's block. It is a misuse if the
// `bytes` bytes there are not all in that memory, or if the address is not aligned.
int shared_offset(gpu_thread& thread, void const* address, int bytes, char const* name,
                  int alignment);
// Checks an access to shared memory: the state of the bytes, and races. Bytes that are written
// become initialised.
void access_shared(gpu_thread& thread, int offset, int bytes, access_info const& info);
// Checks an access to shared memory for races only.
void check_race(gpu_thread& thread, accessor const& accessor, int offset, int bytes,
                access_info const& info);
// What a thread did to memory, in reports.
inline char const* verb_of(access kind) {
    if (kind == access::read) return "read";
    return kind == access::write ? "wrote" : "atomically changed";
}
inline accessor accessor_of(gpu_thread const& thread) {
    return {.observer = thread.number,
            .epoch = thread.epoch,
            .clock = thread.clock,
            .thread = thread.number};
}
// The position, counted from 1, of the thread's current entry in the block's `writes`. All writes
// of a thread between two releases or proxy fences share one entry.
unsigned current_write_of(gpu_thread& thread);

// Reports a race of an access with that of another thread of the block. Memory that no kernel has
// written is not looked at. The access has passed check_global().
void check_thread_race(gpu_thread& thread, void const* address, int bytes, access_info const& info);
// Checks an access to global memory. Addresses outside the arena are not checked.
void check_global(gpu_thread& thread, void const* address, std::intptr_t bytes,
                  access_info const& info);

} // namespace spio::sim
