// Global memory: allocations between guard pages, so that accesses outside of them are found.
// SPDX-License-Identifier: Apache-2.0
//
// The arena is the range of addresses that stands for the memory of the simulated GPU. A grain is
// the unit in which it is given out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace spio::sim {

namespace arena {

constexpr std::size_t reserved_bytes = std::size_t{1} << 38;
constexpr std::size_t grain_bytes = 64 * 1024; // an allocation is a multiple of this
constexpr std::size_t grain_count = reserved_bytes / grain_bytes;

// One allocation of global memory. Kernel threads may still read this record while another thread
// releases the memory, so a record is reused but never destroyed.
struct allocation {
    char name[64];
    unsigned char* begin;
    std::size_t bytes, first_grain, grains;
    std::atomic<bool> is_alive;
    std::atomic<bool> is_written; // whether a kernel has written to it
};

extern unsigned char* const base; // start of the reserved addresses
// The allocation that owns each grain, its guard grain included; null for a free grain.
extern std::atomic<allocation*>* const owners;

inline std::size_t offset_of(void const* address) {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base);
}
inline bool contains(void const* address) { return offset_of(address) < reserved_bytes; }
// The allocation that holds all `bytes` bytes at `address` and was not released, or null.
inline allocation* find(void const* address, std::intptr_t bytes) {
    auto* const owner = owners[offset_of(address) / grain_bytes].load(std::memory_order_acquire);
    if (owner == nullptr || !owner->is_alive) return nullptr;
    auto const offset = static_cast<unsigned char const*>(address) - owner->begin;
    bool const is_inside =
        offset >= 0 && offset + bytes <= static_cast<std::intptr_t>(owner->bytes);
    return is_inside ? owner : nullptr;
}
// The allocation nearest to an address, for reports. It may have been released. Null if the address
// is in a grain that no allocation owns and the next grain has no owner either.
allocation const* find_nearest(void const* address);

} // namespace arena

// Allocates global memory, aligned at least to 256 bytes as on a GPU, and fills it with bytes 0xff.
// Reports call the allocation by `name`.
void* allocate(std::size_t bytes, std::string const& name);
void release(void* begin);

// An array in global memory.
template <class T> class memory {
  public:
    explicit memory(std::size_t count, std::string const& name = "memory")
        : begin_(static_cast<T*>(allocate(count * sizeof(T), name))), count_(count) {}
    memory(memory&& other) noexcept
        : begin_(std::exchange(other.begin_, nullptr)), count_(other.count_) {}
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;
    memory& operator=(memory&&) = delete;
    ~memory() {
        if (begin_) release(begin_);
    }

    T* data() const { return begin_; }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) const { return begin_[i]; }
    T* begin() const { return begin_; }
    T* end() const { return begin_ + count_; }

  private:
    T* begin_;
    std::size_t count_;
};

} // namespace spio::sim
