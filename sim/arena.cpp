// Allocates the simulated global memory, in grains of 64 KiB, from one reserved range of addresses.
// SPDX-License-Identifier: Apache-2.0
//
// A grain is the unit of an allocation. Shadow memory has the block that last wrote to each
// address. A quarantined allocation was released, and its addresses are not yet used again.
#include "sim/arena.h"

#include "sim/checker/global_shadow.h"
#include "sim/grain_list.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace spio::sim {

namespace arena {

// Reserves addresses, which take memory only once they are written; null if that fails.
static void* map(std::size_t bytes, int protection) {
    void* const address =
        mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? nullptr : address;
}

unsigned char* const base = static_cast<unsigned char*>(map(reserved_bytes, PROT_NONE));
std::atomic<allocation*>* const owners = static_cast<std::atomic<allocation*>*>(
    map(grain_count * sizeof(std::atomic<allocation*>), PROT_READ | PROT_WRITE));

// The addresses of the last `max_quarantined` released allocations are not reused, so that a kernel
// that still accesses one of them is reported.
constexpr std::size_t max_quarantined = 16384;

static std::mutex mutex;
// Grain 0 is never allocated: it is the guard before the first allocation.
static grain_list free_grains(1, grain_count - 1);
static std::deque<allocation> allocations;  // all ever made; none moves
static std::vector<allocation*> recycled;   // those that can be reused
static std::deque<allocation*> quarantined; // those released, oldest first

allocation const* find_nearest(void const* address) {
    auto const* const byte = static_cast<unsigned char const*>(address);
    auto const grain = offset_of(address) / grain_bytes;
    auto const* const owner = owners[grain].load(std::memory_order_acquire);
    auto const* const next =
        grain + 1 < grain_count ? owners[grain + 1].load(std::memory_order_acquire) : nullptr;
    if (next == nullptr || next->begin <= byte) return owner;
    if (owner == nullptr) return next;
    // In the guard between two allocations, either may be nearer.
    auto const excess = byte - owner->begin - static_cast<std::ptrdiff_t>(owner->bytes);
    return next->begin - byte < excess ? next : owner;
}

// Takes the oldest allocation out of quarantine: its grains and its record can be used again.
static void recycle() {
    auto* const oldest = quarantined.front();
    quarantined.pop_front();
    for (std::size_t i = 0; i < oldest->grains; i++) owners[oldest->first_grain + i] = nullptr;
    free_grains.free(oldest->first_grain, oldest->grains);
    recycled.push_back(oldest);
}

// Takes `count` neighbouring free grains and returns the first. The caller uses the last as a
// guard.
static std::size_t take_grains(std::size_t count) {
    for (;;) {
        if (auto const first = free_grains.take(count)) return *first;
        if (quarantined.empty()) throw std::bad_alloc();
        recycle();
    }
}

static allocation& new_allocation() {
    if (recycled.empty()) return allocations.emplace_back();
    auto* const allocation = recycled.back();
    recycled.pop_back();
    return *allocation;
}

} // namespace arena

void* allocate(std::size_t bytes, std::string const& name) {
    using namespace arena;
    std::lock_guard const lock(mutex);
    if (base == nullptr || owners == nullptr || bytes > reserved_bytes) throw std::bad_alloc();
    auto const used = std::max<std::size_t>((bytes + grain_bytes - 1) / grain_bytes, 1);
    auto const first = take_grains(used + 1);
    auto* const begin = base + first * grain_bytes;
    if (mprotect(begin, used * grain_bytes, PROT_READ | PROT_WRITE) != 0) {
        free_grains.free(first, used + 1);
        throw std::bad_alloc();
    }
    std::memset(begin, 0xff, bytes);
    auto& allocation = new_allocation();
    allocation.name[name.copy(allocation.name, sizeof allocation.name - 1)] = '\0';
    allocation.begin = begin;
    allocation.bytes = bytes;
    allocation.first_grain = first;
    allocation.grains = used + 1;
    allocation.is_written = false;
    allocation.is_alive = true;
    for (std::size_t i = 0; i <= used; i++) owners[first + i] = &allocation;
    return begin;
}

void release(void* begin) {
    using namespace arena;
    std::lock_guard const lock(mutex);
    auto* const owner = owners[offset_of(begin) / grain_bytes].load();
    owner->is_alive = false;
    auto const used_bytes = (owner->grains - 1) * grain_bytes;
    // The pages go back to the system, and every access to them faults.
    madvise(begin, used_bytes, MADV_DONTNEED);
    mprotect(begin, used_bytes, PROT_NONE);
    if (owner->is_written) global_shadow::clear(begin, used_bytes);
    quarantined.push_back(owner);
    if (quarantined.size() > max_quarantined) recycle();
}

} // namespace spio::sim
