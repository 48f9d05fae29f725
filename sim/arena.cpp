// Allocates global memory in grains of one reserve of addresses.
// SPDX-License-Identifier: Apache-2.0
#include "sim/arena.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

namespace spio::sim {

namespace arena {

constexpr std::size_t grain_bytes = 64 * 1024;
constexpr std::size_t grain_count = reserved_bytes / grain_bytes;

struct allocation {
    std::string name;
    unsigned char* begin;
    std::size_t bytes, first_grain, grains;
    bool is_alive;
};

static void* map(std::size_t bytes, int protection) {
    void* const address =
        mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? nullptr : address;
}

unsigned char* const base = static_cast<unsigned char*>(map(reserved_bytes, PROT_NONE));

// The allocation of each grain, guards included. Threads of kernels read it without the mutex.
static std::atomic<allocation*>* const owners = static_cast<std::atomic<allocation*>*>(
    map(grain_count * sizeof(std::atomic<allocation*>), PROT_READ | PROT_WRITE));

static std::mutex mutex;
static std::size_t next_grain = 1;
// First grains of freed allocations, by their number of grains. They are reused only when the
// reserve has been gone through, so that accesses to freed memory are found for long.
static std::unordered_map<std::size_t, std::vector<std::size_t>> freed;
static std::vector<std::unique_ptr<allocation>> allocations;

static std::size_t grain_of(void const* address) {
    return static_cast<std::size_t>(static_cast<unsigned char const*>(address) - base) /
           grain_bytes;
}

allocation_info find(void const* address) {
    auto const* const byte = static_cast<unsigned char const*>(address);
    auto const grain = grain_of(address);
    auto const* owner = owners[grain].load(std::memory_order_acquire);
    // Beyond the end of one allocation, the next may be nearer.
    if (grain + 1 < grain_count && (owner == nullptr || byte >= owner->begin + owner->bytes)) {
        auto const* const next = owners[grain + 1].load(std::memory_order_acquire);
        bool const is_nearer =
            next != nullptr && next->begin > byte &&
            (owner == nullptr ||
             next->begin - byte < byte - owner->begin - static_cast<std::ptrdiff_t>(owner->bytes));
        if (is_nearer) owner = next;
    }
    if (owner == nullptr) return {};
    return {owner->name.c_str(), owner->begin, owner->bytes, owner->is_alive};
}

// The first of some free grains. The grain before them and the last of them are guards.
static std::size_t take_grains(std::size_t count) {
    if (next_grain + count < grain_count) {
        auto const first = next_grain;
        next_grain += count;
        return first;
    }
    auto& same_size = freed[count];
    if (same_size.empty()) throw std::bad_alloc();
    auto const first = same_size.back();
    same_size.pop_back();
    return first;
}

} // namespace arena

void* allocate(std::size_t bytes, std::string name) {
    using namespace arena;
    std::lock_guard const lock(mutex);
    auto const used = bytes == 0 ? 1 : (bytes + grain_bytes - 1) / grain_bytes;
    if (base == nullptr || owners == nullptr || used > grain_count) throw std::bad_alloc();
    auto const first = take_grains(used + 1);
    auto* const begin = base + first * grain_bytes;
    if (mprotect(begin, used * grain_bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(begin, 0xff, bytes);
    allocations.push_back(std::make_unique<allocation>(
        allocation{std::move(name), begin, bytes, first, used + 1, true}));
    for (std::size_t i = 0; i <= used; i++) owners[first + i] = allocations.back().get();
    return begin;
}

void release(void* begin) {
    using namespace arena;
    std::lock_guard const lock(mutex);
    auto* const owner = owners[grain_of(begin)].load();
    owner->is_alive = false;
    auto const used_bytes = (owner->grains - 1) * grain_bytes;
    // The pages go back to the system, and every access to them faults.
    madvise(begin, used_bytes, MADV_DONTNEED);
    mprotect(begin, used_bytes, PROT_NONE);
    freed[owner->grains].push_back(owner->first_grain);
}

} // namespace spio::sim
