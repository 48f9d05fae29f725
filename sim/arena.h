// Global memory: allocations between guard pages, so that accesses outside of them are found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace spio::sim {

namespace arena {

constexpr std::size_t reserved_bytes = std::size_t{1} << 38;
extern unsigned char* const base; // of the reserved addresses

inline bool contains(void const* address) {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base) <
           reserved_bytes;
}
struct allocation_info {
    char const* name = nullptr; // null: there is no allocation
    void const* begin = nullptr;
    std::size_t bytes = 0;
    bool is_alive = false;
};
// The allocation at or nearest to an address.
allocation_info find(void const* address);

} // namespace arena

// Memory aligned to 256 bytes, as a GPU gives it, filled with bytes 0xff. Reports use the name.
void* allocate(std::size_t bytes, std::string name);
void release(void* begin);

// An array in global memory.
template <class T> class memory {
  public:
    explicit memory(std::size_t count, std::string name = "memory")
        : begin_(static_cast<T*>(allocate(count * sizeof(T), std::move(name)))), count_(count) {}
    memory(memory&& other) noexcept : begin_(other.begin_), count_(other.count_) {
        other.begin_ = nullptr;
    }
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
