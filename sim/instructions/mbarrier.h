// Mbarriers: barriers in shared memory that count arrivals and bytes, phase by phase.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/checker/vector_clock.h"

namespace spio::sim {

struct gpu_thread;

struct mbarrier {
    int expected = 0;            // arrivals in each phase
    int missing = 0;             // arrivals in this phase
    long long pending_bytes = 0; // announced, and not yet loaded
    unsigned phase = 0;
    sync_clock arrivals;     // of this phase
    vector_clock last_phase; // what the last completed phase released

    // The thread that initialised the barrier, and when.
    int initialiser = 0;
    epoch_number init_epoch = 0;
    unsigned init_generation = 0;
    bool is_fenced = false; // so that the TMA engine sees it

    // The component of vector clocks for loads that complete here, and the number of those loads.
    int tma_observer = 0;
    epoch_number tma_epoch = 0;
    gpu_thread* loader = nullptr; // issued loads that are complete and that no thread waited for
    unsigned loaded_phase = 0;    // in which they completed
};

int mbarrier_offset(gpu_thread& thread, void const* word, char const* name);
// The barrier at an offset. Its absence is a misuse of the thread.
mbarrier& mbarrier_at(gpu_thread& thread, int offset, char const* name);
// One thread arrives, or bytes are complete. If that completes the phase, waiting threads are
// woken.
void arrive_at(gpu_thread& thread, mbarrier& barrier, int offset, epoch_number epoch,
               vector_clock const& clock);
void receive_bytes(gpu_thread& thread, mbarrier& barrier, int offset, long long bytes);

} // namespace spio::sim
