// Warps that take turns: what each notes of them.
// SPDX-License-Identifier: Apache-2.0
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

inline constexpr int warps = 16;
inline constexpr int per_warp = 64;
inline constexpr int admitted = 8;
inline constexpr int shared_bytes = 256;

// When a warp came in and when it left, by a clock that ticks whenever it is read; and with what.
struct turn {
    unsigned in;
    unsigned out;
    unsigned resource;
};
using notes = tensor<turn, axis<OF_WARP>(warps), axis<TURN>(per_warp)>;
using uses = tensor<unsigned, axis<RESOURCE>(admitted)>;

struct params {
    turn* notes;
    unsigned* uses; // of each resource, so far
};

} // namespace spio::turns
