// Performs asynchronous operations one at a time, and reports those unfinished at a block's end.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. An epoch is a thread's accesses between two
// releases; a vector clock has the last epoch of each thread and of each TMA observer that is known
// to have ended. A TMA observer stands for the loads that an mbarrier counts. check_global() checks
// an access to global memory, and check_race() one to shared memory for races.
#include "sim/instructions/async_engine.h"

#include "sim/checker/diagnostic.h"
#include "sim/checker/memory_checker.h"
#include "sim/instructions/bulk_request.h"

#include <algorithm>
#include <cstddef>

namespace spio::sim {

// Performs a bulk load: copies its pieces, then releases them at the mbarrier and reports the bytes
// to it. Pieces with a null source are outside the tensor and become zeros. The load counts as one
// epoch of the mbarrier's TMA observer in vector clocks.
static void perform_load(async_operation const& load) {
    auto& thread = *load.issuer;
    auto& block = *load.target;
    bool const is_own = &block == thread.block;
    char const* const name = "a bulk load";
    auto& barrier = mbarrier_at(thread, block, load.mbarrier, name);
    // The clock of a thread of another block says nothing about the threads of this one.
    vector_clock const clock = is_own ? load.clock : vector_clock();
    epoch_number const epoch = ++barrier.tma_epoch;
    for (auto const& piece : load.pieces) {
        if (piece.source != nullptr && load.data.empty()) {
            check_global(thread, piece.source, piece.bytes, {access::read, name, any_alignment});
        }
        write_copied(block, piece.destination, piece.source, piece.bytes);
        if (is_own) {
            accessor const engine = {.observer = barrier.tma_observer,
                                     .epoch = epoch,
                                     .clock = clock,
                                     .thread = thread.number};
            check_race(thread, engine, piece.destination, piece.bytes,
                       {access::write, name, any_alignment});
        }
        std::fill_n(block.shared.last_write.begin() + piece.destination, piece.bytes, 0U);
    }
    // A thread that later sees this phase complete resets `loader`; until then nobody has waited
    // for the load.
    barrier.loader = &thread;
    barrier.loaded_phase = barrier.phase;
    barrier.arrivals.release(barrier.tma_observer, epoch, clock, block.clock_size());
    receive_bytes(thread, block, barrier, load.mbarrier, load.bytes);
}

// Performs a queued arrival at an mbarrier, after the cp.async copies that it waits for. Both count
// as done in the epoch in which the thread issued the arrival.
static void perform_arrival(async_operation const& arrival) {
    auto& thread = *arrival.issuer;
    complete_copies(thread, arrival.copies, arrival.epoch);
    arrive_at(thread, mbarrier_at(thread, arrival.mbarrier, "mbarrier_arrive_after_copies"),
              arrival.mbarrier, arrival.epoch, arrival.clock);
}

bool perform_async_operation(gpu_worker& worker) {
    bool const is_shuffled = worker.launch->options.seed != 0;
    auto& blocks = worker.cluster.blocks;
    auto const first = is_shuffled ? worker.random() % blocks.size() : 0;
    for (std::size_t i = 0; i < blocks.size(); i++) {
        auto& operations = blocks[(first + i) % blocks.size()]->async_operations;
        if (operations.empty()) continue;
        auto const position = is_shuffled ? worker.random() % operations.size() : 0;
        auto const operation = std::move(operations[position]);
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(position));
        if (operation.kind == async_kind::bulk_load) {
            perform_load(operation);
        } else {
            perform_arrival(operation);
        }
        return true;
    }
    return false;
}

void end_async_operations(gpu_block& block) {
    for (auto const& [offset, barrier] : block.mbarriers) {
        if (barrier.loader == nullptr) continue;
        raise_misuse(*barrier.loader, misuse::copy_abandoned,
                     "the block has ended, and nobody has waited for what bulk loads brought to "
                     "the mbarrier at shared offset %d",
                     offset);
    }
    for (auto const& operation : block.async_operations) {
        // A queued arrival may be left behind without a report; a bulk load would still write the
        // memory of the block.
        if (operation.kind != async_kind::bulk_load) continue;
        raise_misuse(
            *operation.issuer, misuse::copy_abandoned,
            "the block has ended, while a bulk load of %d bytes to shared offset %d is under way",
            operation.bytes, operation.pieces.empty() ? 0 : operation.pieces.front().destination);
    }
    for (auto& thread : block.threads) complete_stores(thread);
}

} // namespace spio::sim
