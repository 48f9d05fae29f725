// Checks the accesses of threads to shared and global memory.
// SPDX-License-Identifier: Apache-2.0
#include "sim/memory_access.h"

#include "sim/arena.h"
#include "sim/refusal.h"

#include <algorithm>
#include <cstdint>

namespace spio::sim {

static bool is_aligned(void const* at, int alignment) {
    return reinterpret_cast<std::uintptr_t>(at) % static_cast<unsigned>(alignment) == 0;
}

int shared_place(gpu_thread& thread, void const* at, int bytes, char const* name, int alignment) {
    auto const& shared = thread.block->shared;
    auto const offset = shared.offset_of(at);
    if (!shared.is_shared(at)) {
        refuse(thread, misuse::shared_out_of_bounds,
               "%s needs an address in shared memory, and got one that is not", name);
    }
    if (!shared.holds(offset, bytes)) {
        refuse(thread, misuse::shared_out_of_bounds,
               "%s of %d bytes at shared offset %td, but the block has %d bytes of shared memory",
               name, bytes, offset, shared.bytes);
    }
    if (!is_aligned(at, alignment)) {
        refuse(thread, misuse::shared_misaligned,
               "%s of %d bytes at shared offset %td, which is not a multiple of %d", name, bytes,
               offset, alignment);
    }
    return static_cast<int>(offset);
}

void check_race(gpu_thread& thread, actor const& who, int offset, int bytes,
                access_kind const& kind) {
    auto& block = *thread.block;
    if (!launch_of(thread).options.races) return;
    auto const found = block.past.touch(who, offset, bytes, kind.how);
    if (found.offset < 0) return;
    char const* const did = found.how == access::read    ? "read"
                            : found.how == access::write ? "wrote"
                                                         : "atomically changed";
    auto const threads = static_cast<int>(block.threads.size());
    if (found.other >= threads) {
        refuse(thread, misuse::race,
               "%s of %d bytes at shared offset %d, where the copy engine %s byte %d, with nothing "
               "that orders the two",
               kind.name, bytes, offset, did, found.offset);
    }
    auto const other = thread.block->threads[static_cast<std::size_t>(found.other)].at;
    refuse(thread, misuse::race,
           "%s of %d bytes at shared offset %d, where thread (%d, %d, %d) %s byte %d, with nothing "
           "that orders the two",
           kind.name, bytes, offset, other.x, other.y, other.z, did, found.offset);
}

unsigned write_event_of(gpu_thread& thread) {
    auto& events = thread.block->write_events;
    if (thread.write_event == 0) {
        events.push_back({thread.number, thread.now, thread.block->meetings, thread.fences});
        thread.write_event = static_cast<unsigned>(events.size());
    }
    return thread.write_event;
}

[[noreturn]] static void refuse_state(gpu_thread& thread, int offset, int bytes,
                                      access_kind const& kind) {
    auto const& state = thread.block->shared.state;
    unsigned all = 0;
    int uninitialised_at = -1;
    for (int i = offset; i < offset + bytes; i++) {
        all |= state[static_cast<std::size_t>(i)];
        if (!(state[static_cast<std::size_t>(i)] & initialised) && uninitialised_at < 0) {
            uninitialised_at = i;
        }
    }
    if (all & counting) {
        refuse(thread, misuse::mbarrier_touched,
               "%s of %d bytes at shared offset %d, where the word of an mbarrier is", kind.name,
               bytes, offset);
    }
    if (all & pending) {
        bool const reads = only_reads(kind.how);
        refuse(thread, reads ? misuse::read_before_wait : misuse::write_before_wait,
               "%s of %d bytes at shared offset %d, to which an asynchronous copy is under way",
               kind.name, bytes, offset);
    }
    if (!only_reads(kind.how) && (all & being_read)) {
        refuse(thread, misuse::overwritten_while_stored,
               "%s of %d bytes at shared offset %d: shared memory overwritten while a bulk store "
               "still reads it",
               kind.name, bytes, offset);
    }
    refuse(thread, misuse::shared_uninitialised,
           "%s of %d bytes at shared offset %d, of which byte %d was never written", kind.name,
           bytes, offset, uninitialised_at);
}

void touch_shared(gpu_thread& thread, int offset, int bytes, access_kind const& kind) {
    auto& shared = thread.block->shared;
    auto* const state = shared.state.data() + offset;
    unsigned forbidden = 0;
    unsigned wanted = initialised;
    for (int i = 0; i < bytes; i++) {
        forbidden |= state[i];
        wanted &= state[i];
    }
    if (kind.how == access::write) wanted = initialised;
    unsigned const mask = pending | counting | (only_reads(kind.how) ? 0U : being_read);
    if ((forbidden & mask) != 0 || wanted == 0) refuse_state(thread, offset, bytes, kind);

    check_race(thread, as_actor(thread), offset, bytes, kind);
    if (only_reads(kind.how)) return;
    auto const event = write_event_of(thread);
    for (int i = 0; i < bytes; i++) state[i] = initialised;
    std::fill_n(shared.written.begin() + offset, bytes, event);
}

void check_global(gpu_thread& thread, void const* at, std::intptr_t bytes, char const* name) {
    if (!arena::holds(at) || bytes == 0) return;
    auto const found = arena::find(at);
    auto const begin = reinterpret_cast<std::intptr_t>(found.begin);
    auto const offset = reinterpret_cast<std::intptr_t>(at) - begin;
    if (found.name == nullptr) {
        refuse(thread, misuse::global_out_of_bounds,
               "%s of %td bytes at %p, far from every allocation", name, bytes, at);
    }
    if (!found.alive) {
        refuse(thread, misuse::global_out_of_bounds,
               "%s of %td bytes at byte %td of `%s`, which was freed", name, bytes, offset,
               found.name);
    }
    auto const size = static_cast<std::intptr_t>(found.bytes);
    if (offset < 0) {
        refuse(thread, misuse::global_out_of_bounds,
               "%s of %td bytes that begins %td before `%s`, which has %td bytes", name, bytes,
               -offset, found.name, size);
    }
    if (offset + bytes > size) {
        refuse(thread, misuse::global_out_of_bounds,
               "%s of %td bytes at byte %td of `%s`, which has %td bytes: it ends %td beyond", name,
               bytes, offset, found.name, size, offset + bytes - size);
    }
}

void check_access(gpu_thread& thread, void const* at, int bytes, access_kind const& kind) {
    auto const& shared = thread.block->shared;
    if (shared.is_shared(at)) {
        auto const offset = shared.offset_of(at);
        if (!shared.holds(offset, bytes) || !is_aligned(at, kind.alignment)) {
            shared_place(thread, at, bytes, kind.name, kind.alignment);
        }
        touch_shared(thread, static_cast<int>(offset), bytes, kind);
        return;
    }
    if (!arena::holds(at)) return;
    check_global(thread, at, bytes, kind.name);
    if (!is_aligned(at, kind.alignment)) {
        refuse(thread, misuse::global_misaligned,
               "%s of %d bytes at byte %td of `%s`, which is not a multiple of %d", kind.name,
               bytes,
               static_cast<char const*>(at) - static_cast<char const*>(arena::find(at).begin),
               arena::find(at).name, kind.alignment);
    }
}

} // namespace spio::sim
