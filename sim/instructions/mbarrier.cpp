// Counts the arrivals and bytes of mbarriers, and completes their phases.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. A vector clock has, for each thread, the last of
// its epochs that is known to have ended; a thread ends an epoch when it releases its accesses at a
// synchronization object, and others acquire there what was released. The loads of the TMA engine
// that an mbarrier counts have an entry in these clocks too, as if a thread made them: the TMA
// observer. `running` is the simulated thread that this OS thread runs now. A thread polls when it
// asks for a change again and again. shared_offset() is the offset of an address in shared memory,
// access_shared() checks an access there, and check_race() for races alone. count_change_by() tells
// the scheduler that something has changed. mark() adds bits to the state of bytes of shared
// memory, and removes others.
#include "machine/mbarrier.h"

#include "machine/fence.h"
#include "sim/checker/diagnostic.h"
#include "sim/checker/happens_before.h"
#include "sim/checker/memory_checker.h"
#include "sim/scheduler/scheduler.h"

namespace spio::sim {

constexpr int max_count = (1 << 20) - 1; // limit of arrivals and of pending bytes
constexpr int word_bytes = sizeof(machine::mbarrier_word);

int mbarrier_offset(gpu_thread& thread, void const* word, char const* instruction) {
    return shared_offset(thread, word, word_bytes, instruction, word_bytes);
}

// Whether the initialisation happened before what the thread does now.
static bool is_ordered(gpu_thread const& thread, mbarrier const& barrier) {
    return barrier.initialiser == thread.number ||
           barrier.barriers_before_init < thread.block->barriers_passed ||
           thread.clock.includes(barrier.initialiser, barrier.init_epoch);
}

mbarrier& mbarrier_at(gpu_thread& thread, gpu_block& block, int offset, char const* instruction) {
    auto& mbarriers = block.mbarriers;
    auto const position = mbarriers.find(offset);
    if (position == mbarriers.end()) {
        raise_misuse(thread, misuse::mbarrier_not_made,
                     "%s at shared offset %d, where no mbarrier was made", instruction, offset);
    }
    return position->second;
}

mbarrier& mbarrier_at(gpu_thread& thread, int offset, char const* instruction) {
    auto& barrier = mbarrier_at(thread, *thread.block, offset, instruction);
    if (!is_ordered(thread, barrier)) {
        raise_misuse(thread, misuse::mbarrier_not_made,
                     "%s at shared offset %d, where thread %d made an mbarrier, with nothing that "
                     "orders the two",
                     instruction, offset, barrier.initialiser);
    }
    return barrier;
}

// Completes the phase if no arrival and no byte is missing.
static void complete_phase(gpu_block& block, mbarrier& barrier, int offset) {
    if (barrier.missing > 0 || barrier.pending_bytes != 0) return;
    barrier.phase++;
    barrier.missing = barrier.expected;
    barrier.last_phase = barrier.arrivals.clock();
    barrier.arrivals.reset();
    for (auto& other : block.threads) {
        if (other.state == thread_state::waiting &&
            other.blocked_by.kind == wait_kind::mbarrier_phase &&
            other.blocked_by.number == offset) {
            wake(other);
        }
    }
}

// Counts an arrival.
static void count_arrival(gpu_thread& thread, mbarrier& barrier, int offset) {
    if (barrier.missing == 0) {
        raise_misuse(thread, misuse::mbarrier_overrun,
                     "an arrival at the mbarrier at shared offset %d, whose phase has all its %d "
                     "arrivals and waits for %lld bytes",
                     offset, barrier.expected, barrier.pending_bytes);
    }
    barrier.missing--;
}

void arrive_at(gpu_thread& thread, mbarrier& barrier, int offset, epoch_number epoch,
               vector_clock const& clock) {
    count_arrival(thread, barrier, offset);
    barrier.arrivals.release(thread.number, epoch, clock, thread.block->clock_size());
    complete_phase(*thread.block, barrier, offset);
    count_change_by(thread);
}

// The current phase completes only when so many more bytes have come.
static void expect_bytes(gpu_thread& thread, mbarrier& barrier, int offset, int bytes) {
    barrier.pending_bytes += bytes;
    if (bytes < 0 || barrier.pending_bytes > max_count) {
        raise_misuse(thread, misuse::mbarrier_overrun,
                     "%d more bytes expected at the mbarrier at shared offset %d, which makes "
                     "%lld: a phase takes 0 to %d",
                     bytes, offset, barrier.pending_bytes, max_count);
    }
}

void receive_bytes(gpu_thread& thread, gpu_block& block, mbarrier& barrier, int offset,
                   long long bytes) {
    barrier.pending_bytes -= bytes;
    if (barrier.pending_bytes < -max_count) {
        raise_misuse(thread, misuse::mbarrier_overrun,
                     "%lld more bytes came to the mbarrier at shared offset %d than were announced",
                     -barrier.pending_bytes, offset);
    }
    complete_phase(block, barrier, offset);
    count_change_by(thread);
}

// Whether the phase of this parity has completed; phases have the parities 0 and 1 in turn.
static bool has_completed(mbarrier const& barrier, int parity) {
    return static_cast<int>(barrier.phase & 1) != (parity & 1);
}

// The thread has seen the last phase complete: it acquires what that phase released. Loads that
// completed in an earlier phase than the current one have now been waited for.
static void acquire_phase(gpu_thread& thread, mbarrier& barrier) {
    acquire(thread, barrier.last_phase);
    if (barrier.loaded_phase != barrier.phase) barrier.loader = nullptr;
}

} // namespace spio::sim

namespace spio::machine {

using namespace sim;

void mbarrier_init(mbarrier_word* barrier, int arrivals) {
    auto& thread = *running;
    auto& block = *thread.block;
    int const offset = mbarrier_offset(thread, barrier, "mbarrier_init");
    if (arrivals < 1 || arrivals > max_count) {
        raise_misuse(thread, misuse::mbarrier_overrun,
                     "mbarrier_init for %d arrivals: 1 to %d can come", arrivals, max_count);
    }
    if (block.shared.has_any(offset, word_bytes, in_mbarrier)) {
        raise_misuse(thread, misuse::mbarrier_made_twice,
                     "mbarrier_init at shared offset %d, where there is one that was not ended",
                     offset);
    }
    access_shared(thread, offset, word_bytes,
                  {access::write, "mbarrier_init", /*alignment=*/word_bytes});
    block.shared.mark(offset, word_bytes, in_mbarrier, initialised);
    auto& state = block.mbarriers[offset];
    state = {};
    state.expected = state.missing = arrivals;
    state.initialiser = thread.number;
    state.init_epoch = thread.epoch;
    state.barriers_before_init = block.barriers_passed;
    state.tma_observer =
        static_cast<int>(block.threads.size()) + block.mbarrier_count++ % gpu_block::tma_observers;
    count_change_by(thread);
}
void mbarrier_invalidate(mbarrier_word* barrier) {
    auto& thread = *running;
    int const offset = mbarrier_offset(thread, barrier, "mbarrier_invalidate");
    mbarrier_at(thread, offset, "mbarrier_invalidate");
    thread.block->mbarriers.erase(offset);
    thread.block->shared.mark(offset, word_bytes, /*added=*/0, in_mbarrier);
    check_race(thread, accessor_of(thread), offset, word_bytes,
               {access::write, "mbarrier_invalidate", /*alignment=*/word_bytes});
}
void mbarrier_arrive(mbarrier_word* barrier) {
    auto& thread = *running;
    int const offset = mbarrier_offset(thread, barrier, "mbarrier_arrive");
    arrive_at(thread, mbarrier_at(thread, offset, "mbarrier_arrive"), offset, thread.epoch,
              thread.clock);
    begin_epoch(thread);
}
void mbarrier_arrive_in_cluster(mbarrier_word* barrier, int rank) {
    auto& thread = *running;
    char const* const name = "mbarrier_arrive_in_cluster";
    if (rank == thread.block->rank) return mbarrier_arrive(barrier);
    int const offset = mbarrier_offset(thread, barrier, name);
    auto& block = block_of_rank(thread, rank, name);
    auto& state = mbarrier_at(thread, block, offset, name);
    count_arrival(thread, state, offset);
    complete_phase(block, state, offset);
    count_change_by(thread);
}
void mbarrier_expect(mbarrier_word* barrier, int bytes) {
    auto& thread = *running;
    int const offset = mbarrier_offset(thread, barrier, "mbarrier_expect");
    expect_bytes(thread, mbarrier_at(thread, offset, "mbarrier_expect"), offset, bytes);
}
void mbarrier_arrive_and_expect(mbarrier_word* barrier, int bytes) {
    auto& thread = *running;
    int const offset = mbarrier_offset(thread, barrier, "mbarrier_arrive_and_expect");
    auto& state = mbarrier_at(thread, offset, "mbarrier_arrive_and_expect");
    expect_bytes(thread, state, offset, bytes);
    arrive_at(thread, state, offset, thread.epoch, thread.clock);
    begin_epoch(thread);
}

bool mbarrier_test(mbarrier_word* barrier, int parity) {
    auto& thread = *running;
    int const offset = mbarrier_offset(thread, barrier, "mbarrier_test");
    mbarrier_at(thread, offset, "mbarrier_test");
    poll("mbarrier_test");
    auto& state = mbarrier_at(thread, offset, "mbarrier_test");
    if (!has_completed(state, parity)) return false;
    acquire_phase(thread, state);
    return true;
}
bool mbarrier_try_wait(mbarrier_word* barrier, int parity) {
    auto& thread = *running;
    char const* const name = "mbarrier_try_wait";
    int const offset = mbarrier_offset(thread, barrier, name);
    if (!has_completed(mbarrier_at(thread, offset, name), parity)) {
        wait({.kind = wait_kind::mbarrier_phase, .number = offset, .parity = parity & 1});
    }
    // Look the barrier up again: mbarrier_invalidate may have been called while the thread waited.
    auto& state = mbarrier_at(thread, offset, name);
    if (!has_completed(state, parity)) return false;
    acquire_phase(thread, state);
    return true;
}

void fence_for_bulk_copies() {
    auto& thread = *running;
    auto& fence = thread.last_proxy_fence;
    fence = {fence.count + 1, thread.block->barriers_passed, thread.clock};
    thread.current_write = 0;
    fence_mbarrier_init();
}
void fence_mbarrier_init() {
    auto& thread = *running;
    for (auto& [offset, barrier] : thread.block->mbarriers) {
        if (is_ordered(thread, barrier)) barrier.is_fenced = true;
    }
}

} // namespace spio::machine
