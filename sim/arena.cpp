// Cuts allocations out of one reserve of addresses.
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

constexpr std::size_t grain = 64 * 1024;
constexpr std::size_t grains = reserved_bytes / grain;

struct allocation {
    std::string name;
    unsigned char* begin;
    std::size_t bytes, first_grain, grain_count;
    bool alive;
};

static void* map(std::size_t bytes, int protection) {
    void* const got =
        mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? nullptr : got;
}

unsigned char* const base = static_cast<unsigned char*>(map(reserved_bytes, PROT_NONE));

// Whose each grain is, its guards included. Read by threads of kernels without the lock.
static std::atomic<allocation*>* const owners = static_cast<std::atomic<allocation*>*>(
    map(grains * sizeof(std::atomic<allocation*>), PROT_READ | PROT_WRITE));

static std::mutex cutting;
static std::size_t next_grain = 1;
// Freed ones, by their size; taken again once the reserve has been gone through.
static std::unordered_map<std::size_t, std::vector<std::size_t>> freed;
static std::vector<std::unique_ptr<allocation>> all;

found find(void const* at) {
    auto const* const byte = static_cast<unsigned char const*>(at);
    auto const number = static_cast<std::size_t>(byte - base) / grain;
    auto const* owner = owners[number].load(std::memory_order_acquire);
    // Beyond the end of one, the next may be nearer.
    if (number + 1 < grains && (owner == nullptr || byte >= owner->begin + owner->bytes)) {
        auto const* const next = owners[number + 1].load(std::memory_order_acquire);
        bool const nearer =
            next != nullptr && next->begin > byte &&
            (owner == nullptr ||
             next->begin - byte < byte - owner->begin - static_cast<std::ptrdiff_t>(owner->bytes));
        if (nearer) owner = next;
    }
    if (owner == nullptr) return {};
    return {owner->name.c_str(), owner->begin, owner->bytes, owner->alive};
}

// Grains of which the last is the guard of what comes after it, and of what was before.
static std::size_t take(std::size_t count) {
    if (next_grain + count < grains) {
        auto const first = next_grain;
        next_grain += count;
        return first;
    }
    auto& same = freed[count];
    if (same.empty()) throw std::bad_alloc();
    auto const first = same.back();
    same.pop_back();
    return first;
}

} // namespace arena

void* allocate(std::size_t bytes, std::string name) {
    using namespace arena;
    std::lock_guard const lock(cutting);
    auto const used = bytes == 0 ? 1 : (bytes + grain - 1) / grain;
    if (base == nullptr || owners == nullptr || used > grains) throw std::bad_alloc();
    auto const first = take(used + 1);
    auto* const begin = base + first * grain;
    if (mprotect(begin, used * grain, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::memset(begin, 0xff, bytes);
    all.push_back(std::make_unique<allocation>(
        allocation{std::move(name), begin, bytes, first, used + 1, true}));
    for (std::size_t i = 0; i <= used; i++) owners[first + i] = all.back().get();
    return begin;
}

void release(void* begin) {
    using namespace arena;
    std::lock_guard const lock(cutting);
    auto const number = static_cast<std::size_t>(static_cast<unsigned char*>(begin) - base) / grain;
    auto* const owner = owners[number].load();
    owner->alive = false;
    auto const used = (owner->grain_count - 1) * grain;
    // The pages are given back, and no longer to be touched.
    madvise(begin, used, MADV_DONTNEED);
    mprotect(begin, used, PROT_NONE);
    freed[owner->grain_count].push_back(owner->first_grain);
}

} // namespace spio::sim
