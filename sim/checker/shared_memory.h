// The shared memory of a block: its bytes, and the state of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spio::sim {

// The state of a byte is a set of these bits. All but the first forbid some plain access.
enum byte_state : unsigned char {
    initialised = 1,
    copy_pending = 2,  // an asynchronous copy will write the byte
    in_mbarrier = 4,   // the byte belongs to an mbarrier
    store_pending = 8, // a bulk store has yet to read the byte
};

struct shared_memory {
    static constexpr int max_bytes = 227 * 1024;
    // Each block owns a region of addresses that is open only in its middle, so that an address
    // which misses the shared memory of a block is recognised.
    static constexpr std::size_t region_bytes = 1U << 20;
    static constexpr std::size_t offset_in_region = 384U << 10;

    unsigned char* base = nullptr;
    int bytes = 0;
    std::vector<unsigned char> state;
    // For each byte the number of the last write that the TMA engine may not see yet; 0: none.
    std::vector<std::uint32_t> last_write;

    // The regions of all blocks of the cluster.
    std::uintptr_t cluster_base = 0;
    std::size_t cluster_bytes = 0;

    std::intptr_t offset_of(void const* pointer) const {
        return reinterpret_cast<std::intptr_t>(pointer) - reinterpret_cast<std::intptr_t>(base);
    }
    bool is_shared(void const* pointer) const {
        return reinterpret_cast<std::uintptr_t>(pointer) - cluster_base < cluster_bytes;
    }
    bool contains(std::intptr_t offset, std::intptr_t count) const {
        return offset >= 0 && offset + count <= bytes;
    }
    // Takes `size` bytes at an address, all uninitialised.
    void open(unsigned char* address, int size);
    // Changes the state of a range of bytes.
    void mark(int offset, int count, unsigned char added, unsigned char removed);
    // Whether a byte of the range has one of these bits.
    bool has_any(int offset, int count, unsigned char bits) const;
};

} // namespace spio::sim
