// cp.async: copies that are performed when their thread, or an mbarrier arrival, waits for them.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. `running` is the simulated thread that this OS
// thread runs now. An epoch is a thread's accesses between two releases. A batch of copies
// completes together; a group is the batches that the thread has committed. shared_offset() is the
// offset of an address in shared memory, access_shared() checks an access there, check_race() for
// races alone, and check_global() one to global memory. count_change_by() tells the scheduler that
// something has changed for which others may wait. mark() adds bits to the state of bytes of shared
// memory, and removes others.
#include "machine/async_copy.h"

#include "machine/mbarrier.h"
#include "sim/checker/diagnostic.h"
#include "sim/checker/happens_before.h"
#include "sim/checker/memory_checker.h"
#include "sim/instructions/async_engine.h"
#include "sim/scheduler/scheduler.h"

#include <cstring>
#include <utility>

namespace spio::sim {

// Issues a copy of `size` bytes, of which `bytes` are read and the others become zero.
void start_async_copy(void* shared, void const* global, int size, int bytes) {
    auto& thread = *running;
    char const* const name = "an asynchronous copy";
    if (bytes < 0 || bytes > size) {
        raise_misuse(thread, misuse::copy_malformed, "%s of %d bytes cannot read %d", name, size,
                     bytes);
    }
    auto const excess = reinterpret_cast<std::uintptr_t>(global) % static_cast<unsigned>(size);
    if (excess != 0) {
        raise_misuse(thread, misuse::copy_malformed,
                     "%s of %d bytes from an address that is %d beyond a multiple of it", name,
                     size, static_cast<int>(excess));
    }
    int const destination = shared_offset(thread, shared, size, name, /*alignment=*/size);
    check_global(thread, global, bytes, {access::read, name, /*alignment=*/1});
    access_shared(thread, destination, size, {access::write, name, /*alignment=*/size});
    auto& memory = thread.block->shared;
    memory.mark(destination, size, copy_pending, initialised);
    std::memset(memory.base + destination, 0xff, static_cast<std::size_t>(size));
    if (thread.copies.empty()) thread.copies.push_back(std::make_shared<copy_batch>());
    thread.copies.back()->copies.push_back(
        {static_cast<unsigned char const*>(global), destination, bytes, size});
}

void write_copied(gpu_block& block, int destination, unsigned char const* source, int bytes) {
    auto const count = static_cast<std::size_t>(bytes);
    if (source == nullptr) {
        std::memset(block.shared.base + destination, 0, count);
    } else {
        std::memcpy(block.shared.base + destination, source, count);
    }
    block.shared.mark(destination, bytes, initialised, copy_pending);
}

// Performs the copies of a batch as writes of the thread in the given epoch.
static void complete_batch(gpu_thread& thread, copy_batch const& batch, epoch_number epoch) {
    auto& block = *thread.block;
    char const* const name = "an asynchronous copy";
    for (auto const& [source, destination, bytes, size] : batch.copies) {
        check_global(thread, source, bytes, {access::read, name, /*alignment=*/1});
        if (bytes > 0) write_copied(block, destination, source, bytes);
        if (bytes < size) write_copied(block, destination + bytes, nullptr, size - bytes);
        accessor const writer = {.observer = thread.number,
                                 .epoch = epoch,
                                 .clock = thread.clock,
                                 .thread = thread.number};
        check_race(thread, writer, destination, size, {access::write, name, /*alignment=*/size});
        auto const write = current_write_of(thread);
        std::fill_n(block.shared.last_write.begin() + destination, size, write);
    }
}

void complete_copies(gpu_thread& thread, copy_group const& copies, epoch_number epoch) {
    for (auto const& batch : copies) {
        if (batch->is_complete) continue;
        batch->is_complete = true;
        complete_batch(thread, *batch, batch->arrival_epoch != 0 ? batch->arrival_epoch : epoch);
    }
}

void wait_for_copy_groups(int pending) {
    auto& thread = *running;
    auto& groups = thread.copy_groups;
    if (groups.size() <= static_cast<std::size_t>(pending)) return;
    auto const end = groups.end() - pending;
    for (auto group = groups.begin(); group != end; group++) {
        complete_copies(thread, *group, thread.epoch);
    }
    groups.erase(groups.begin(), end);
    count_change_by(thread);
}

} // namespace spio::sim

namespace spio::machine {

void commit_copies() {
    auto& thread = *sim::running;
    thread.copy_groups.push_back(std::move(thread.copies));
    thread.copies.clear();
}

// cp.async.mbarrier.arrive.noinc: queues an arrival that first completes all cp.async copies which
// the thread has issued so far. Later copies go to a new batch, for which this arrival does not
// wait.
void mbarrier_arrive_after_copies(mbarrier_word* barrier) {
    auto& thread = *sim::running;
    char const* const name = "mbarrier_arrive_after_copies";
    int const offset = sim::mbarrier_offset(thread, barrier, name);
    sim::mbarrier_at(thread, offset, name);
    auto& arrival = thread.block->async_operations.emplace_back();
    arrival.kind = sim::async_kind::arrival;
    arrival.issuer = &thread;
    arrival.epoch = thread.epoch;
    arrival.clock = thread.clock;
    arrival.mbarrier = offset;
    for (auto const& group : thread.copy_groups) {
        arrival.copies.insert(arrival.copies.end(), group.begin(), group.end());
    }
    arrival.copies.insert(arrival.copies.end(), thread.copies.begin(), thread.copies.end());
    for (auto const& batch : arrival.copies) {
        if (batch->arrival_epoch == 0) batch->arrival_epoch = thread.epoch;
    }
    if (!thread.copies.empty()) thread.copies.push_back(std::make_shared<sim::copy_batch>());
    sim::begin_epoch(thread);
}

} // namespace spio::machine
