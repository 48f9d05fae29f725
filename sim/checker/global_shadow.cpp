// Records which block last wrote to global memory, and finds writes that race with an access.
// SPDX-License-Identifier: Apache-2.0
//
// An entry of the shadow memory stands for two bytes and has the writer: a block of some launch. An
// accessor is the block that makes an access now; its predecessors are the blocks ordered before
// it. The arena is the simulated global memory.
#include "sim/checker/global_shadow.h"

#include "sim/arena.h"
#include "sim/checker/block_order.h"

#include <atomic>
#include <mutex>
#include <sys/mman.h>

namespace spio::sim::global_shadow {

constexpr std::size_t shadow_bytes = arena::reserved_bytes / 2 * sizeof(writer);

static writer* map_shadow() {
    void* const address = mmap(nullptr, shadow_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? nullptr : static_cast<writer*>(address);
}
// The mapping reserves addresses; only pages that are written take memory.
static writer* const shadow = map_shadow();

// A launch gets numbers that no launch had before, two for each block: one for its plain writes,
// one for its atomic ones. When they run out, no more races are found.
writer_range::writer_range(long long blocks) {
    constexpr std::uint64_t limit = std::uint64_t{1} << 32;
    static std::mutex mutex;
    static std::uint64_t next = 1;
    std::lock_guard const lock(mutex);
    auto const count = 2 * static_cast<std::uint64_t>(blocks);
    if (shadow == nullptr || count >= limit || next + count >= limit) return;
    first_ = static_cast<writer>(next);
    count_ = static_cast<std::uint32_t>(count);
    next += count;
}

static std::atomic_ref<writer> entry(std::size_t index) {
    return std::atomic_ref<writer>(shadow[index]);
}
// Whether an access has both bytes of each entry that it touches. Others are not checked for races.
static bool fills_entries(std::size_t offset, std::size_t bytes) {
    return offset % 2 == 0 && bytes % 2 == 0;
}

// Whether the earlier write by `other` and the present access by `accessor` are a race.
static bool races(block_accessor const& accessor, writer other, bool is_atomic) {
    auto const& range = accessor.range;
    if (!range.contains(other) || range.block_of(other) == accessor.block) return false;
    if (is_atomic && range.is_atomic(other)) return false;
    return !accessor.predecessors.contains(range.block_of(other));
}

// Searches shadow entries, of two bytes each, for a write that races with the present access, which
// is atomic or not.
static std::optional<conflict> find_conflict(block_accessor const& accessor,
                                             std::size_t first_entry, std::size_t entry_count,
                                             bool is_atomic) {
    writer last = 0;
    for (std::size_t i = 0; i < entry_count; i++) {
        writer const other = entry(first_entry + i).load(std::memory_order_relaxed);
        if (other == last) continue;
        if (races(accessor, other, is_atomic)) {
            auto const& range = accessor.range;
            return conflict{static_cast<std::ptrdiff_t>(2 * i), range.block_of(other),
                            range.is_atomic(other)};
        }
        last = other;
    }
    return {};
}

std::optional<conflict> check_read(block_accessor const& accessor, void const* address,
                                   std::size_t bytes, bool is_atomic) {
    auto const offset = arena::offset_of(address);
    if (!fills_entries(offset, bytes)) return {};
    return find_conflict(accessor, offset / 2, bytes / 2, is_atomic);
}

std::optional<conflict> add_write(block_accessor const& accessor, void const* address,
                                  std::size_t bytes, bool is_atomic) {
    auto const offset = arena::offset_of(address);
    auto const begin = offset / 2;
    auto const end = (offset + bytes + 1) / 2;
    if (!fills_entries(offset, bytes)) {
        for (auto i = begin; i < end; i++) entry(i).store(unattributed, std::memory_order_relaxed);
        return {};
    }
    auto const current = accessor.range.number(accessor.block, is_atomic);
    auto i = begin;
    while (i < end && entry(i).load(std::memory_order_relaxed) == current) i++;
    if (i == end) return {};
    if (auto const race = find_conflict(accessor, begin, end - begin, is_atomic)) return race;
    for (; i < end; i++) entry(i).store(current, std::memory_order_relaxed);
    return {};
}

bool has_writer(void const* address, std::size_t bytes) {
    auto const offset = arena::offset_of(address);
    for (auto i = offset / 2; i < (offset + bytes + 1) / 2; i++) {
        if (entry(i).load(std::memory_order_relaxed) != 0) return true; // `unattributed` too
    }
    return false;
}

// Gives the pages back to the system; read again, they are zeros: no writer.
void clear(void const* begin, std::size_t bytes) {
    madvise(shadow + arena::offset_of(begin) / 2, bytes / 2 * sizeof(writer), MADV_DONTNEED);
}

} // namespace spio::sim::global_shadow
