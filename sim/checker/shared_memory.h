// The shared memory of a block: its bytes, and the state of each.
// SPDX-License-Identifier: Apache-2.0
//
// A cluster's blocks have neighbouring regions of addresses. A bulk store is a copy by the TMA
// engine, and a proxy fence what makes writes of threads visible to that engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spio::sim {

// The state of a byte is a set of these bits. Each bit except `initialised` forbids plain reads or
// plain writes of the byte.
enum byte_state : unsigned char {
    initialised = 1,
    copy_pending = 2,  // an asynchronous copy will write the byte
    in_mbarrier = 4,   // the byte belongs to an mbarrier
    store_pending = 8, // a bulk store has yet to read the byte
};

struct shared_memory {
    // Each block owns a region of addresses, of which only the middle is accessible. A pointer that
    // runs past the end of a block's shared memory is thus still recognised as such.
    static constexpr std::size_t region_bytes = 1U << 20;
    static constexpr std::size_t offset_in_region = 384U << 10;

    unsigned char* base = nullptr;
    int bytes = 0;
    std::vector<unsigned char> state;
    // For each byte, the position (from 1) in the block's `writes` of the thread write that wrote
    // it; 0 if no thread did, or the TMA engine did. A bulk store checks it for missing proxy
    // fences.
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
    // Uses the `size` bytes at `address` as the shared memory, all uninitialised.
    void open(unsigned char* address, int size);
    // Adds the state bits `added` to each byte of a range, and removes the bits `removed`.
    void mark(int offset, int count, unsigned char added, unsigned char removed);
    // Whether any byte of the range has any of these state bits.
    bool has_any(int offset, int count, unsigned char bits) const;
};

} // namespace spio::sim
