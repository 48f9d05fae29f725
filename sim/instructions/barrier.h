// Barriers of a block and of a cluster.
// SPDX-License-Identifier: Apache-2.0
//
// A synchronization clock collects what threads release at a barrier. A vector clock has the last
// epoch of each thread that is known to have ended; an epoch is a thread's accesses between two
// releases.
#pragma once

#include "sim/checker/vector_clock.h"

#include <vector>

namespace spio::sim {

struct gpu_thread;

// One of the barriers 0 to 15 of a block.
struct named_barrier {
    int expected = 0; // threads that complete it
    int arrived = 0;
    std::vector<gpu_thread*> waiting;
    std::vector<bool> has_arrived; // by thread
    sync_clock arrivals;
};

// The barrier of a cluster. Arriving and waiting are separate. Vector clocks are per block: a
// thread acquires only what threads of its own block have released.
struct cluster_barrier {
    unsigned phase = 0;
    int arrived = 0; // in this phase
    std::vector<gpu_thread*> waiting;
    std::vector<unsigned> phases_of_thread; // phases at which each has arrived
    std::vector<sync_clock> arrivals;       // by block
    std::vector<vector_clock> last_phase;   // by block: what the last phase released

    // Prepares the barrier for the blocks of a cluster, and for all of their threads together.
    void open(int blocks, int threads) {
        phases_of_thread.assign(static_cast<std::size_t>(threads), 0);
        arrivals.resize(static_cast<std::size_t>(blocks));
        last_phase.resize(static_cast<std::size_t>(blocks));
    }
};

} // namespace spio::sim
