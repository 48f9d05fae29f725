// Where threads of a block, and of a cluster, wait for each other.
// SPDX-License-Identifier: Apache-2.0
#include "machine/thread.h"
#include "sim/meeting.h"
#include "sim/refusal.h"
#include "sim/schedule.h"
#include "sim/telling.h"

#include <utility>

namespace spio::sim {

// So many threads wait for each other at a barrier of the block, or are only counted there.
static void come_to_barrier(int number, int threads, bool waits) {
    auto& thread = *running;
    auto& block = *thread.block;
    auto const size = static_cast<int>(block.threads.size());
    if (number < 0 || number > 15) {
        refuse(thread, misuse::barrier_malformed, "barrier %d: there are barriers 0 to 15", number);
    }
    if (threads <= 0 || (threads % 32 != 0 && threads != size) || threads > size) {
        refuse(thread, misuse::barrier_malformed,
               "barrier %d for %d threads: the count must be whole warps, and at most the block's "
               "%d threads",
               number, threads, size);
    }
    auto& barrier = block.barriers[number];
    if (barrier.here == 0) {
        barrier.threads = threads;
        barrier.came.assign(block.threads.size(), false);
    }
    if (barrier.threads != threads) {
        refuse(thread, misuse::barrier_malformed,
               "barrier %d for %d threads, where %d have come for a count of %d", number, threads,
               barrier.here, barrier.threads);
    }
    if (barrier.came[static_cast<std::size_t>(thread.number)]) {
        refuse(thread, misuse::barrier_malformed,
               "the thread comes to barrier %d again, before those %d threads are complete for "
               "which it has come",
               number, threads);
    }
    barrier.came[static_cast<std::size_t>(thread.number)] = true;
    barrier.told.add(thread.number, thread.now, thread.seen, block.observers());
    tell(thread);
    barrier.here++;
    if (waits) barrier.waiting.push_back(&thread);
    if (barrier.here < threads) {
        if (waits) wait({waiting_for::barrier, number});
        return;
    }

    bool const all = threads == size && static_cast<int>(barrier.waiting.size()) == size;
    if (all) meet_whole_block(block);
    for (auto* const other : barrier.waiting) {
        if (!all) other->seen = barrier.told.all();
        if (other != &thread) wake(*other);
    }
    barrier.here = 0;
    barrier.waiting.clear();
    barrier.told.clear();
    note_change(thread);
}

static void perform_sync(meeting& all) {
    gathering told;
    auto& block = *all.first->block;
    for_each_lane(all.lanes, [&](int lane) {
        auto& thread = all.first[lane];
        told.add(thread.number, thread.now, thread.seen, block.observers());
        tell(thread);
    });
    for_each_lane(all.lanes, [&](int lane) { all.first[lane].seen = told.all(); });
}
constexpr warp_operation sync_operation = {"sync_warp", perform_sync};

static void perform_nothing(meeting&) {}
constexpr warp_operation arrive_cluster_operation = {"arrive_cluster", perform_nothing};
constexpr warp_operation wait_cluster_operation = {"wait_cluster", perform_nothing};

// The thread's number in the cluster.
static std::size_t number_in_cluster(gpu_thread const& thread) {
    auto const& block = *thread.block;
    return static_cast<std::size_t>(block.rank) * block.threads.size() +
           static_cast<std::size_t>(thread.number);
}

static void arrive_at_cluster() {
    auto& thread = *running;
    auto& cluster = *thread.block->cluster;
    auto& arrivals = cluster.arrivals[number_in_cluster(thread)];
    if (arrivals != cluster.phase) {
        refuse(thread, misuse::barrier_malformed,
               "the thread arrives at the cluster's barrier again, before the others have");
    }
    arrivals++;
    auto const rank = static_cast<std::size_t>(thread.block->rank);
    cluster.told[rank].add(thread.number, thread.now, thread.seen, thread.block->observers());
    tell(thread);
    if (++cluster.arrived < static_cast<int>(cluster.arrivals.size())) return;
    cluster.arrived = 0;
    cluster.phase++;
    for (std::size_t i = 0; i < cluster.told.size(); i++) {
        cluster.known[i] = cluster.told[i].all();
        cluster.told[i].clear();
    }
    for (auto* const other : std::exchange(cluster.waiting, {})) wake(*other);
    note_change(thread);
}

static void wait_for_cluster() {
    auto& thread = *running;
    auto& cluster = *thread.block->cluster;
    auto const arrivals = cluster.arrivals[number_in_cluster(thread)];
    if (arrivals == 0) {
        refuse(thread, misuse::barrier_malformed,
               "the thread waits for the cluster without having arrived");
    }
    if (arrivals > cluster.phase) {
        cluster.waiting.push_back(&thread);
        wait({waiting_for::cluster});
    }
    learn(thread, cluster.known[static_cast<std::size_t>(thread.block->rank)]);
}

} // namespace spio::sim

namespace spio::machine {

void sync_block() {
    sim::come_to_barrier(0, static_cast<int>(sim::running->block->threads.size()), true);
}
void sync_threads(int barrier, int threads) { sim::come_to_barrier(barrier, threads, true); }
void arrive_threads(int barrier, int threads) { sim::come_to_barrier(barrier, threads, false); }
void sync_warp(unsigned lanes) { sim::meet(sim::sync_operation, lanes, nullptr); }
void arrive_cluster() {
    sim::meet(sim::arrive_cluster_operation, sim::all_lanes, nullptr);
    sim::arrive_at_cluster();
}
void wait_cluster() {
    sim::meet(sim::wait_cluster_operation, sim::all_lanes, nullptr);
    sim::wait_for_cluster();
}

} // namespace spio::machine
