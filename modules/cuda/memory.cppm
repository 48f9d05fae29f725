// Memory of a device, memory of the host that devices copy from, and copies between them.
// SPDX-License-Identifier: Apache-2.0
module;

#include <cstddef>
#include <memory>
#include <span>

export module spio.cuda:memory;

import :abi;
import :entries;
import :driver;
import :device;
import :stream;

export namespace spio::cuda {

// Some bytes of a device's memory.
class memory_ref {
  public:
    // Not of a null address.
    memory_ref(abi::pointer address, std::size_t bytes);

    abi::pointer address() const { return first; }
    std::size_t size() const { return count; }
    // Those from here on, so many; they must all be in it.
    memory_ref part(std::size_t offset, std::size_t bytes) const;

  private:
    abi::pointer first;
    std::size_t count;
};

class memory {
  public:
    memory(context_ref, std::size_t bytes);

    operator memory_ref() const { return {address(), count}; }
    abi::pointer address() const { return reinterpret_cast<abi::pointer>(owned.get()); }
    std::size_t size() const { return count; }

  private:
    struct release {
        context_ref home;
        std::size_t bytes;
        void operator()(void* address) const noexcept;
    };
    // An address of the device; never looked at here.
    std::unique_ptr<void, release> owned;
    std::size_t count;
};

// Memory of the host that stays where it is: copies from and to it need not be waited for.
class host_memory {
  public:
    host_memory(context_ref, std::size_t bytes);

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(owned.get()), count}; }
    std::size_t size() const { return count; }

  private:
    std::unique_ptr<void, release_in<"cuMemFreeHost">> owned;
    std::size_t count;
};

// In the stream's order. Both sides must be of one size, and stay until the copy has been made.
void copy(stream_ref const&, memory_ref to, std::span<std::byte const> from);
void copy(stream_ref const&, std::span<std::byte> to, memory_ref from);
void copy(stream_ref const&, memory_ref to, memory_ref from);
void fill(stream_ref const&, memory_ref, std::byte value);
// The memory in words of four bytes.
void fill_words(stream_ref const&, memory_ref, unsigned value);

} // namespace spio::cuda
