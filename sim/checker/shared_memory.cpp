// Opens the shared memory of a block, and keeps the state of its bytes.
// SPDX-License-Identifier: Apache-2.0
//
// A state is a set of bits for a byte, such as `initialised`; last_write is the write that wrote
// it. The bytes begin as 0xff, which is NaN in all floating types.
#include "sim/checker/shared_memory.h"

#include <cstring>

namespace spio::sim {

void shared_memory::open(unsigned char* address, int size) {
    base = address;
    bytes = size;
    std::memset(base, 0xff, static_cast<std::size_t>(size));
    state.assign(static_cast<std::size_t>(size), 0);
    last_write.assign(static_cast<std::size_t>(size), 0);
}

void shared_memory::mark(int offset, int count, unsigned char added, unsigned char removed) {
    for (int i = offset; i < offset + count; i++) {
        auto& byte = state[static_cast<std::size_t>(i)];
        byte = static_cast<unsigned char>((byte & ~removed) | added);
    }
}

bool shared_memory::has_any(int offset, int count, unsigned char bits) const {
    for (int i = offset; i < offset + count; i++) {
        if (state[static_cast<std::size_t>(i)] & bits) return true;
    }
    return false;
}

} // namespace spio::sim
