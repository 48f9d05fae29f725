// The shared memory of a block: its bytes, and what is known of each of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace spio::sim {

// What a byte is. All bits but the first forbid some plain access.
enum byte_state : unsigned char {
    initialised = 1,
    pending = 2,    // an asynchronous copy will write it
    counting = 4,   // of an mbarrier's word
    being_read = 8, // a bulk store has not read it yet
};

struct shared_window {
    static constexpr int most_bytes = 227 * 1024;
    static constexpr std::size_t region_bytes = 1U << 20; // with what guards it, on both sides
    static constexpr std::size_t begins_at = 384U << 10;

    unsigned char* base = nullptr;
    int bytes = 0;
    std::vector<unsigned char> state;
    std::vector<std::uint32_t> written; // number of the last write event, 0: none to be fenced

    // The windows of all blocks of a cluster lie in one region.
    std::uintptr_t region = 0;
    std::size_t region_size = 0;

    std::intptr_t offset_of(void const* pointer) const {
        return reinterpret_cast<std::intptr_t>(pointer) - reinterpret_cast<std::intptr_t>(base);
    }
    bool is_shared(void const* pointer) const {
        return reinterpret_cast<std::uintptr_t>(pointer) - region < region_size;
    }
    bool holds(std::intptr_t offset, std::intptr_t count) const {
        return offset >= 0 && offset + count <= bytes;
    }
    void open(unsigned char* at, int count);
    // All of the range, or none of what forbids.
    void mark(int offset, int count, unsigned char set, unsigned char clear);
    // The first byte of the range one of whose bits among `which` differs from `wanted`; -1: none.
    int find(int offset, int count, unsigned char which, unsigned char wanted) const;
};

} // namespace spio::sim
