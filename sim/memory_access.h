// What a thread may do to a piece of memory, asked before it does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/gpu.h"

namespace spio::sim {

// How an access is named in a report, and what it needs beyond its size.
struct access_kind {
    access how;
    char const* name;
    int alignment;
};

// Any address: shared memory and the arena are looked after, all others are not.
void check_access(gpu_thread& thread, void const* at, int bytes, access_kind const& kind);

// The offset of a piece of the block's own shared memory; refuses any other place.
int shared_place(gpu_thread& thread, void const* at, int bytes, char const* name, int alignment);
// An access to a piece that is there: initialised, not under way, without a race.
void touch_shared(gpu_thread& thread, int offset, int bytes, access_kind const& kind);
// Only the race.
void check_race(gpu_thread& thread, actor const& who, int offset, int bytes,
                access_kind const& kind);
inline actor as_actor(gpu_thread const& thread) {
    return {thread.number, thread.now, thread.seen, thread.number};
}
// The number of what the thread writes from now on, until it tells others or fences.
unsigned write_event_of(gpu_thread& thread);

// A piece of global memory; addresses outside the arena are taken as they are.
void check_global(gpu_thread& thread, void const* at, std::intptr_t bytes, char const* name);

} // namespace spio::sim
