// Checks accesses to shared memory: bounds, alignment, initialisation, races.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. A vector clock has, for each thread, the last of
// its epochs that is known to have ended; a thread ends an epoch when it releases its accesses at a
// synchronization object, and others acquire there what was released. An accessor is the thread, or
// the TMA engine for it, that makes an access; observers number both, the threads first.
#include "sim/checker/memory_checker.h"

#include "sim/checker/diagnostic.h"
#include "sim/scheduler/scheduler.h"

#include <algorithm>
#include <cstdint>

namespace spio::sim {

// The offset of an address in the block's shared memory. It is a misuse if the access `name` is out
// of bounds or not aligned.
int shared_offset(gpu_thread& thread, void const* address, int bytes, char const* name,
                  int alignment) {
    auto const& shared = thread.block->shared;
    auto const offset = shared.offset_of(address);
    if (!shared.is_shared(address)) {
        raise_misuse(thread, misuse::shared_out_of_bounds,
                     "%s needs an address in shared memory, and got one that is not", name);
    }
    if (!shared.contains(offset, bytes)) {
        raise_misuse(
            thread, misuse::shared_out_of_bounds,
            "%s of %d bytes at shared offset %td, but the block has %d bytes of shared memory",
            name, bytes, offset, shared.bytes);
    }
    if (!is_aligned(address, alignment)) {
        raise_misuse(thread, misuse::shared_misaligned,
                     "%s of %d bytes at shared offset %td, which is not a multiple of %d", name,
                     bytes, offset, alignment);
    }
    return static_cast<int>(offset);
}

// Notes an access to shared memory, and reports it if another thread's access to a byte is not
// ordered with it.
void check_race(gpu_thread& thread, accessor const& accessor, int offset, int bytes,
                access_info const& info) {
    auto& block = *thread.block;
    if (!launch_of(thread).options.races) return;
    auto const race = block.races.add(accessor, offset, bytes, info.kind);
    if (race.offset < 0) return;
    char const* const verb = verb_of(race.kind);
    if (race.observer >= static_cast<int>(block.threads.size())) {
        raise_misuse(thread, misuse::race,
                     "%s of %d bytes at shared offset %d, where the copy engine %s byte %d, with "
                     "nothing that orders the two",
                     info.name, bytes, offset, verb, race.offset);
    }
    auto const other = block.threads[static_cast<std::size_t>(race.observer)].index;
    thread.opponent = race.observer;
    raise_misuse(thread, misuse::race,
                 "%s of %d bytes at shared offset %d, where thread (%d, %d, %d) %s byte %d, with "
                 "nothing that orders the two",
                 info.name, bytes, offset, other.x, other.y, other.z, verb, race.offset);
}

// The number of the record that says when the thread's current writes were made. One record stands
// for all writes of an epoch; each byte keeps the number of its last one.
unsigned current_write_of(gpu_thread& thread) {
    auto& writes = thread.block->writes;
    if (thread.current_write == 0) {
        writes.push_back({thread.number, thread.epoch, thread.block->barriers_passed,
                          thread.last_proxy_fence.count});
        thread.current_write = static_cast<unsigned>(writes.size());
    }
    return thread.current_write;
}

// Reports the misuse that explains why the state of the bytes forbids this access.
[[noreturn]] static void raise_state(gpu_thread& thread, int offset, int bytes,
                                     access_info const& info) {
    auto const& shared = thread.block->shared;
    bool const reads = is_read(info.kind);
    if (shared.has_any(offset, bytes, in_mbarrier)) {
        raise_misuse(thread, misuse::mbarrier_touched,
                     "%s of %d bytes at shared offset %d, where the word of an mbarrier is",
                     info.name, bytes, offset);
    }
    if (shared.has_any(offset, bytes, copy_pending)) {
        raise_misuse(
            thread, reads ? misuse::read_before_wait : misuse::write_before_wait,
            "%s of %d bytes at shared offset %d, to which an asynchronous copy is under way",
            info.name, bytes, offset);
    }
    if (!reads && shared.has_any(offset, bytes, store_pending)) {
        raise_misuse(
            thread, misuse::overwritten_while_stored,
            "%s of %d bytes at shared offset %d: shared memory overwritten while a bulk store "
            "still reads it",
            info.name, bytes, offset);
    }
    auto const first_unwritten = [&] {
        int byte = offset;
        while (byte < offset + bytes && shared.has_any(byte, 1, initialised)) byte++;
        return byte;
    };
    int const first = first_unwritten();
    // If another thread writes the bytes before it waits for this one, the two race.
    if (running == &thread) let_others_run();
    if (first_unwritten() == offset + bytes) {
        check_race(thread, accessor_of(thread), offset, bytes, info);
    }
    raise_misuse(thread, misuse::shared_uninitialised,
                 "%s of %d bytes at shared offset %d, of which byte %d was never written",
                 info.name, bytes, offset, first);
}

// Checks an access against the state of its bytes and for races, and notes a write.
void access_shared(gpu_thread& thread, int offset, int bytes, access_info const& info) {
    auto& shared = thread.block->shared;
    auto* const state = shared.state.data() + offset;
    unsigned any = 0;
    unsigned every = initialised;
    for (int i = 0; i < bytes; i++) {
        any |= state[i];
        every &= state[i];
    }
    bool const needs_value = info.kind != access::write;
    unsigned const forbidden =
        copy_pending | in_mbarrier | (is_read(info.kind) ? 0U : store_pending);
    if ((any & forbidden) != 0 || (needs_value && every == 0)) {
        raise_state(thread, offset, bytes, info);
    }

    check_race(thread, accessor_of(thread), offset, bytes, info);
    if (is_read(info.kind)) return;
    auto const write = current_write_of(thread);
    for (int i = 0; i < bytes; i++) state[i] = initialised;
    std::fill_n(shared.last_write.begin() + offset, bytes, write);
}

// What each load and store of a kernel calls first, with an address of any memory.
void check_access(gpu_thread& thread, void const* address, int bytes, access_info const& info) {
    auto const& shared = thread.block->shared;
    if (!shared.is_shared(address)) {
        check_global(thread, address, bytes, info);
        check_thread_race(thread, address, bytes, info);
        return;
    }
    auto const offset = shared.offset_of(address);
    if (!shared.contains(offset, bytes) || !is_aligned(address, info.alignment)) {
        shared_offset(thread, address, bytes, info.name, info.alignment);
    }
    access_shared(thread, static_cast<int>(offset), bytes, info);
}

} // namespace spio::sim
