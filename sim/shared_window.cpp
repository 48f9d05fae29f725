// Opens the shared memory of a block, and marks its bytes.
// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_window.h"

#include <cstring>

namespace spio::sim {

void shared_window::open(unsigned char* at, int count) {
    base = at;
    bytes = count;
    std::memset(base, 0xff, static_cast<std::size_t>(count));
    state.assign(static_cast<std::size_t>(count), 0);
    written.assign(static_cast<std::size_t>(count), 0);
}

void shared_window::mark(int offset, int count, unsigned char set, unsigned char clear) {
    for (int i = offset; i < offset + count; i++) {
        auto& byte = state[static_cast<std::size_t>(i)];
        byte = static_cast<unsigned char>((byte & ~clear) | set);
    }
}

int shared_window::find(int offset, int count, unsigned char which, unsigned char wanted) const {
    for (int i = offset; i < offset + count; i++) {
        if ((state[static_cast<std::size_t>(i)] & which) != wanted) return i;
    }
    return -1;
}

} // namespace spio::sim
