// Mbarriers: barriers in shared memory that count arrivals and bytes, phase by phase.
// SPDX-License-Identifier: Apache-2.0
//
// A vector clock has, for each thread, the last of its epochs that is known to have ended; a thread
// ends an epoch when it releases its accesses at a synchronization object, and others acquire there
// what was released. A misuse is an access or a call that breaks a rule of the GPU. A thread that
// is abandoned never runs again.
#pragma once

#include "sim/checker/vector_clock.h"

namespace spio::sim {

struct gpu_block;
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
    unsigned barriers_before_init = 0; // barriers of the block, completed before that
    bool is_fenced = false;            // by a fence that makes it visible to the TMA engine

    // The component of vector clocks that stands for the TMA engine's loads which complete here,
    // and how many have.
    int tma_observer = 0;
    epoch_number tma_epoch = 0;
    gpu_thread* loader = nullptr; // a thread with complete loads that nobody waited for
    unsigned loaded_phase = 0;    // the phase in which those loads completed
};

// The offset in shared memory of an mbarrier's word. An address that is not in shared memory, or
// not aligned, is a misuse: it is recorded, and the thread is abandoned. The message names the
// instruction that was given the address.
int mbarrier_offset(gpu_thread& thread, void const* word, char const* instruction);
// The mbarrier at an offset in shared memory. It is a misuse of the thread if there is none, or if
// its initialisation is not ordered before this use.
mbarrier& mbarrier_at(gpu_thread& thread, int offset, char const* instruction);
// One thread arrives at the mbarrier at this offset, which wakes the waiting threads if it
// completes the phase.
void arrive_at(gpu_thread& thread, mbarrier& barrier, int offset, epoch_number epoch,
               vector_clock const& clock);
// Counts bytes that a bulk load has brought, which may complete the phase as well.
void receive_bytes(gpu_thread& thread, gpu_block& block, mbarrier& barrier, int offset,
                   long long bytes);
// The mbarrier at an offset in any block of the thread's cluster. What a thread of another block
// has done there is not ordered by clocks: races on shared memory are found within a block.
mbarrier& mbarrier_at(gpu_thread& thread, gpu_block& block, int offset, char const* instruction);

} // namespace spio::sim
