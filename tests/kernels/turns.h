// Warps that enter a guarded section in turns, and the record that they write of each turn.
// SPDX-License-Identifier: Apache-2.0
//
// axis<K>(32) is the dimension K with 32 values, k / 8 and k % 8 are its blocks of 8 and the
// positions in one. A tensor is a pointer with axes, outermost first; a subscript is a position,
// and makes a cursor, which a further one moves.
#pragma once

#include "spio/tensor.h"

namespace spio::turns {

struct TURN : dim {
    using dim::dim;
};
struct OF_WARP : dim {
    using dim::dim;
};
struct RESOURCE : dim {
    using dim::dim;
};
struct OF_LANE : dim {
    using dim::dim;
};

inline constexpr int warps = 16;
inline constexpr int per_warp = 64; // turns
inline constexpr int admitted = 8;  // warps in the section at a time, and so resources
// Enough for the queue or the semaphore, the clock, and the counts of uses.
inline constexpr int shared_bytes = 2048;

// The times at which a warp entered and left, by a clock that ticks whenever it is read, and the
// resource that it held.
struct turn {
    unsigned entry;
    unsigned exit;
    unsigned resource;
};
using notes = tensor<turn, axis<OF_WARP>(warps), axis<TURN>(per_warp)>;
using uses = tensor<unsigned, axis<RESOURCE>(admitted), axis<OF_LANE>(32)>;

struct params {
    turn* notes;
    unsigned* uses; // how often each resource was held, counted once by each lane
};

} // namespace spio::turns
