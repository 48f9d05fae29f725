// Checks accesses to global memory: bounds, alignment, kernels that overlap, races.
// SPDX-License-Identifier: Apache-2.0
//
// A misuse is an access or a call that breaks a rule of the GPU: raise_misuse() records it for the
// report of the launch, and abandons the thread. The arena has the allocations of global memory;
// shadow memory has the block that last wrote to each address. A vector clock has, for each thread,
// the last of its epochs that is known to have ended; a thread ends an epoch when it releases its
// accesses at a synchronization object, and others acquire there what was released.
#include "sim/arena.h"
#include "sim/checker/diagnostic.h"
#include "sim/checker/memory_checker.h"

#include <algorithm>
#include <cstdint>

namespace spio::sim {

// Reports an access outside of every array, in terms of the nearest one.
[[noreturn]] static void raise_bounds(gpu_thread& thread, void const* address, std::intptr_t bytes,
                                      char const* name) {
    auto const* const array = arena::find_nearest(address);
    if (array == nullptr) {
        raise_misuse(thread, misuse::global_out_of_bounds,
                     "%s of %td bytes at %p, far from every allocation", name, bytes, address);
    }
    auto const offset = static_cast<unsigned char const*>(address) - array->begin;
    auto const size = static_cast<std::intptr_t>(array->bytes);
    if (!array->is_alive) {
        raise_misuse(thread, misuse::global_out_of_bounds,
                     "%s of %td bytes at byte %td of `%s`, which was freed", name, bytes, offset,
                     array->name);
    }
    if (offset < 0) {
        raise_misuse(thread, misuse::global_out_of_bounds,
                     "%s of %td bytes that begins %td before `%s`, which has %td bytes", name,
                     bytes, -offset, array->name, size);
    }
    raise_misuse(thread, misuse::global_out_of_bounds,
                 "%s of %td bytes at byte %td of `%s`, which has %td bytes: it ends %td beyond",
                 name, bytes, offset, array->name, size, offset + bytes - size);
}

// In a launch that may overlap the previous kernel, only two kinds of threads may access global
// memory: those that have called wait_for_kernels_before, and those that have synchronized with
// such a thread since. A wait is ordered before this access if this thread made it, if a barrier of
// the whole block came after it, or if this thread's clock includes it.
static void check_previous_kernel(gpu_thread& thread, std::ptrdiff_t offset, std::intptr_t bytes,
                                  arena::allocation const& array, char const* name) {
    auto const& block = *thread.block;
    for (auto const& [waiter, epoch, barriers_passed] : block.previous_waits) {
        if (waiter == thread.number || barriers_passed < block.barriers_passed ||
            thread.clock.includes(waiter, epoch)) {
            thread.has_waited_for_previous = true;
            return;
        }
    }
    raise_misuse(thread, misuse::previous_not_awaited,
                 "%s of %td bytes at byte %td of `%s` before wait_for_kernels_before, in a launch "
                 "that may begin before the kernels before it have ended",
                 name, bytes, offset, array.name);
}

// Reports a race of this access with one of another block; a write is recorded for later accesses.
static void check_block_race(gpu_thread& thread, void const* address, std::intptr_t bytes,
                             arena::allocation& array, access_info const& info) {
    auto const& block = *thread.block;
    auto const& launch = launch_of(thread);
    global_shadow::block_accessor const accessor = {launch.writers, block.number,
                                                    block.predecessors};
    bool const is_atomic = info.kind == access::atomic || info.kind == access::atomic_read;
    auto const size = static_cast<std::size_t>(bytes);
    if (!is_read(info.kind)) array.is_written.store(true, std::memory_order_relaxed);
    auto const race = is_read(info.kind)
                          ? global_shadow::check_read(accessor, address, size, is_atomic)
                          : global_shadow::add_write(accessor, address, size, is_atomic);
    if (!race) return;
    auto const offset = static_cast<unsigned char const*>(address) - array.begin;
    auto const other = launch.grid.index_of(race->block);
    raise_misuse(thread, misuse::race,
                 "%s of %td bytes at byte %td of `%s`, where block (%d, %d, %d) %s byte %td, with "
                 "nothing that orders the two",
                 info.name, bytes, offset, array.name, other.x, other.y, other.z,
                 race->is_atomic ? "atomically changed" : "wrote", offset + race->byte);
}

void check_thread_race(gpu_thread& thread, void const* address, int bytes,
                       access_info const& info) {
    auto& block = *thread.block;
    if (!block.global_checks.thread_races || !arena::contains(address) || bytes == 0) return;
    auto& array = *arena::find(address, bytes);
    if (!is_read(info.kind)) array.is_written.store(true, std::memory_order_relaxed);
    if (!array.is_written.load(std::memory_order_relaxed)) return;
    auto const race = block.global_races.add(accessor_of(thread), arena::offset_of(address),
                                             static_cast<std::size_t>(bytes), info.kind);
    if (race.observer < 0) return;
    auto const start = arena::offset_of(array.begin);
    auto const other = block.threads[static_cast<std::size_t>(race.observer)].index;
    thread.opponent = race.observer;
    raise_misuse(thread, misuse::race,
                 "%s of %d bytes at byte %zu of `%s`, where thread (%d, %d, %d) %s byte %zu, with "
                 "nothing that orders the two",
                 info.name, bytes, arena::offset_of(address) - start, array.name, other.x, other.y,
                 other.z, verb_of(race.kind), race.offset - start);
}

// Reports a read of memory that was never written. New memory is full of bytes 0xff. The bytes that
// are read count as unwritten if no kernel has written them, and all bytes of the aligned groups of
// 16 around them are still 0xff: what the host writes is seen only by its value.
static void check_written(gpu_thread& thread, void const* address, std::intptr_t bytes,
                          arena::allocation const& array, char const* name) {
    auto const offset = static_cast<unsigned char const*>(address) - array.begin;
    auto const first = offset / 16 * 16;
    auto const last = std::min<std::ptrdiff_t>((offset + bytes + 15) / 16 * 16,
                                               static_cast<std::ptrdiff_t>(array.bytes));
    bool const is_fresh = std::all_of(array.begin + first, array.begin + last,
                                      [](unsigned char byte) { return byte == 0xff; });
    if (!is_fresh || global_shadow::has_writer(address, static_cast<std::size_t>(bytes))) return;
    raise_misuse(thread, misuse::global_uninitialised,
                 "%s of %td bytes at byte %td of `%s`, which was never written", name, bytes,
                 offset, array.name);
}

void check_global(gpu_thread& thread, void const* address, std::intptr_t bytes,
                  access_info const& info) {
    if (!arena::contains(address) || bytes == 0) return;
    auto* const array = arena::find(address, bytes);
    if (array == nullptr) raise_bounds(thread, address, bytes, info.name);
    auto const offset = static_cast<unsigned char const*>(address) - array->begin;
    if (!is_aligned(address, info.alignment)) {
        raise_misuse(thread, misuse::global_misaligned,
                     "%s of %td bytes at byte %td of `%s`, which is not a multiple of %d",
                     info.name, bytes, offset, array->name, info.alignment);
    }
    auto const& checks = thread.block->global_checks;
    if (checks.previous_kernel && !thread.has_waited_for_previous) {
        check_previous_kernel(thread, offset, bytes, *array, info.name);
    }
    if (checks.races && (!is_read(info.kind) || array->is_written)) {
        check_block_race(thread, address, bytes, *array, info);
    }
    // Atomics read too.
    if (checks.unwritten_reads && info.kind != access::write) {
        check_written(thread, address, bytes, *array, info.name);
    }
}

} // namespace spio::sim
