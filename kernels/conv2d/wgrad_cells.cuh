// Where the columns of a row lie in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spio/swizzle.h"

namespace spio::conv2d::wgrad_tma {

// Cells of a tile by the engine's swizzle; those of one group need none.
template <auto Channels, auto Columns> consteval auto swizzled_cells() {
    constexpr int groups = Channels.size / 8;
    if constexpr (groups == 1) {
        return Channels / 8;
    } else if constexpr (groups == 8) {
        return swizzle(Channels / 8, Columns % 8);
    } else {
        return swizzle(Channels / 8, Columns / (8 / groups) % groups);
    }
}

} // namespace spio::conv2d::wgrad_tma
