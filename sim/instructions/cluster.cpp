// The barrier of a cluster: all its threads arrive, and wait for each other later.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. `running` is the simulated thread that this OS
// thread runs now. A collective is an operation that the lanes of a warp perform together, once all
// have arrived with their arguments. A thread releases what it has done at the barrier, and
// acquires what the others released. count_change_by() tells the scheduler that something has
// changed for which others may wait.
#include "machine/thread.h"
#include "sim/checker/diagnostic.h"
#include "sim/checker/happens_before.h"
#include "sim/scheduler/scheduler.h"

#include <utility>

namespace spio::sim {

constexpr warp_operation arrive_operation = {"arrive_cluster", do_nothing};
constexpr warp_operation wait_operation = {"wait_cluster", do_nothing};

gpu_block& block_of_rank(gpu_thread& thread, int rank, char const* name) {
    auto& blocks = thread.block->cluster->blocks;
    if (rank < 0 || rank >= static_cast<int>(blocks.size())) {
        raise_misuse(thread, misuse::barrier_malformed, "%s for rank %d of a cluster of %d blocks",
                     name, rank, static_cast<int>(blocks.size()));
    }
    return *blocks[static_cast<std::size_t>(rank)];
}

// How many phases of the barrier the thread has arrived at.
static unsigned& phases_of(gpu_thread const& thread) {
    auto const& block = *thread.block;
    auto const number = static_cast<std::size_t>(block.rank) * block.threads.size() +
                        static_cast<std::size_t>(thread.number);
    return block.cluster->barrier.phases_of_thread[number];
}

// Ends a phase, once all threads have arrived: keeps what the blocks released for the threads that
// wait, and wakes them. The predecessors of a block are the blocks whose work is ordered before it;
// now these are all blocks of the cluster, with their predecessors.
static void complete_phase(gpu_cluster& cluster) {
    auto& barrier = cluster.barrier;
    barrier.arrived = 0;
    barrier.phase++;
    for (std::size_t rank = 0; rank < barrier.arrivals.size(); rank++) {
        barrier.last_phase[rank] = barrier.arrivals[rank].clock();
        barrier.arrivals[rank].reset();
    }
    block_set blocks;
    for (auto const& block : cluster.blocks) {
        blocks.join(block->predecessors);
        blocks.insert(block->number);
    }
    for (auto const& block : cluster.blocks) block->predecessors = blocks;
    for (auto* const thread : std::exchange(barrier.waiting, {})) wake(*thread);
}

// The running thread arrives at the phase that is under way.
static void arrive() {
    auto& thread = *running;
    auto& barrier = thread.block->cluster->barrier;
    auto& phases = phases_of(thread);
    if (phases != barrier.phase) {
        raise_misuse(thread, misuse::barrier_malformed,
                     "the thread arrives at the cluster's barrier again, before the others have");
    }
    phases++;
    release(thread, barrier.arrivals[static_cast<std::size_t>(thread.block->rank)]);
    if (++barrier.arrived < static_cast<int>(barrier.phases_of_thread.size())) return;
    complete_phase(*thread.block->cluster);
    // The deadlock detector counts changes for which another thread may poll.
    count_change_by(thread);
}

// The running thread waits until the phase is complete at which it has arrived last.
static void wait_for_phase() {
    auto& thread = *running;
    auto& barrier = thread.block->cluster->barrier;
    auto const phases = phases_of(thread);
    if (phases == 0) {
        raise_misuse(thread, misuse::barrier_malformed,
                     "the thread waits for the cluster without having arrived");
    }
    if (phases > barrier.phase) {
        barrier.waiting.push_back(&thread);
        wait({wait_kind::cluster});
    }
    acquire(thread, barrier.last_phase[static_cast<std::size_t>(thread.block->rank)]);
}

} // namespace spio::sim

namespace spio::machine {

void arrive_cluster() {
    sim::run_collective(sim::arrive_operation, sim::all_lanes, /*argument=*/nullptr);
    sim::arrive();
}
void wait_cluster() {
    sim::run_collective(sim::wait_operation, sim::all_lanes, /*argument=*/nullptr);
    sim::wait_for_phase();
}

} // namespace spio::machine
