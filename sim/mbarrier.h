// Barriers in shared memory that count arrivals of threads and bytes of copies, phase by phase.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/mbarrier.h"
#include "sim/gpu.h"

namespace spio::sim {

struct mbarrier {
    int expected = 0;    // arrivals in a phase
    int missing = 0;     // of them, in this one
    long long bytes = 0; // announced, and not yet there
    unsigned phase = 0;
    int engine_thread = 0; // whom the copy engine counts for when it serves this barrier
    moment engine_time = 0;
    int maker = 0; // the thread that made it, when, and before which fence
    moment made = 0;
    unsigned meetings = 0;
    bool fenced = false;
    gpu_thread* loader = nullptr; // who asked for bytes that came, and that nobody waited for yet
    unsigned loaded_in = 0;       // the phase in which they came
    gathering told;
    vision known; // what was told in the last phase that ended
};

// The barrier at an offset, or a refusal in the name of the thread.
mbarrier& mbarrier_at(gpu_thread& thread, int offset, char const* name);
int mbarrier_place(gpu_thread& thread, void const* word, char const* name);
// One arrives, or bytes do; whoever waits for the phase goes on if it has ended.
void arrive_at(gpu_thread& thread, mbarrier& barrier, int offset, moment when, vision const& seen);
void bring_bytes(gpu_thread& thread, mbarrier& barrier, int offset, long long bytes);

} // namespace spio::sim
