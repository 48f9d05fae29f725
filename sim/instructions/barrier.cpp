// Barriers of a block: a thread that has waited knows what the others did before they arrived.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. A vector clock has, for each thread, the last of
// its epochs that is known to have ended; a thread ends an epoch when it releases its accesses at a
// synchronization object, and others acquire there what was released. `running` is the simulated
// thread that this OS thread runs now. A collective is an operation that the lanes of a warp
// perform together, once all have arrived with their arguments. count_change_by() tells the
// scheduler that something has changed for which others may wait.
#include "machine/thread.h"
#include "sim/checker/diagnostic.h"
#include "sim/checker/happens_before.h"
#include "sim/scheduler/scheduler.h"

namespace spio::sim {

// Reports a thread that comes to a barrier again, or with another count than the threads before it.
static void check_arrival(gpu_thread const& thread, named_barrier const& barrier, int number,
                          int threads) {
    if (barrier.arrived == 0) return;
    if (barrier.expected != threads) {
        raise_misuse(thread, misuse::barrier_malformed,
                     "barrier %d for %d threads, where %d have come for a count of %d", number,
                     threads, barrier.arrived, barrier.expected);
    }
    if (barrier.has_arrived[static_cast<std::size_t>(thread.number)]) {
        raise_misuse(thread, misuse::barrier_malformed,
                     "the thread comes to barrier %d again, before those %d threads are complete "
                     "for which it has come",
                     number, threads);
    }
}

// All threads have arrived: those that wait acquire what each of them released, and go on.
static void complete(gpu_block& block, named_barrier& barrier) {
    auto const size = block.threads.size();
    if (barrier.waiting.size() == size) {
        synchronize_block(block);
    } else {
        for (auto* const thread : barrier.waiting) thread->clock = barrier.arrivals.clock();
    }
    for (auto* const thread : barrier.waiting) {
        if (thread != running) wake(*thread);
    }
    barrier.arrived = 0;
    barrier.waiting.clear();
    barrier.arrivals.reset();
}

enum class arrival { waiting, not_waiting };

// The running thread arrives at barrier `number`, which completes when `threads` threads have
// arrived. A waiting arrival returns only then.
static void arrive_at_barrier(int number, int threads, arrival kind) {
    auto& thread = *running;
    auto& block = *thread.block;
    bool const waits = kind == arrival::waiting;
    auto const size = static_cast<int>(block.threads.size());
    if (number < 0 || number > 15) {
        raise_misuse(thread, misuse::barrier_malformed, "barrier %d: there are barriers 0 to 15",
                     number);
    }
    if (threads <= 0 || (threads % 32 != 0 && threads != size) || threads > size) {
        raise_misuse(thread, misuse::barrier_malformed,
                     "barrier %d for %d threads: the count must be whole warps, and at most the "
                     "block's %d threads",
                     number, threads, size);
    }
    auto& barrier = block.barriers[number];
    check_arrival(thread, barrier, number, threads);
    if (barrier.arrived == 0) {
        barrier.expected = threads;
        barrier.has_arrived.assign(block.threads.size(), false);
    }
    barrier.has_arrived[static_cast<std::size_t>(thread.number)] = true;
    release(thread, barrier.arrivals);
    barrier.arrived++;
    if (waits) barrier.waiting.push_back(&thread);
    if (barrier.arrived == threads) {
        complete(block, barrier);
        count_change_by(thread);
    } else if (waits) {
        wait({wait_kind::barrier, number});
    }
}

// Each lane acquires what all lanes of the mask have done before.
static void synchronize_lanes(collective& collective) {
    sync_clock arrivals;
    for_each_lane(collective.lanes, [&](int lane) { release(collective.lane_0[lane], arrivals); });
    for_each_lane(collective.lanes,
                  [&](int lane) { collective.lane_0[lane].clock = arrivals.clock(); });
}
constexpr warp_operation sync_operation = {"sync_warp", synchronize_lanes};

} // namespace spio::sim

namespace spio::machine {

void sync_block() {
    auto const all_threads = static_cast<int>(sim::running->block->threads.size());
    sim::arrive_at_barrier(/*number=*/0, all_threads, sim::arrival::waiting);
}
void sync_threads(int barrier, int threads) {
    sim::arrive_at_barrier(barrier, threads, sim::arrival::waiting);
}
void arrive_threads(int barrier, int threads) {
    sim::arrive_at_barrier(barrier, threads, sim::arrival::not_waiting);
}
void sync_warp(unsigned lanes) {
    sim::run_collective(sim::sync_operation, lanes, /*argument=*/nullptr);
}

} // namespace spio::machine
