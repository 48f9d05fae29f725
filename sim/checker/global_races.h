// Races of the threads of a block in global memory: the latest accesses to the bytes it touches.
// SPDX-License-Identifier: Apache-2.0
//
// The arena is the simulated global memory, an offset a number of bytes from its start. A race
// shadow has the latest accesses to each byte of a range.
#pragma once

#include "sim/checker/race_shadow.h"

#include <cstddef>
#include <unordered_map>

namespace spio::sim {

// A race shadow of those pages of the arena in which a block has made accesses.
class global_races {
  public:
    struct conflict {
        std::size_t offset; // of the byte in the arena
        int observer;       // the other thread, or -1: there is no race
        access kind;
    };

    // Forgets all accesses: they happened before all later ones.
    void reset() { shadow_.reset(); }
    // Records an access to `bytes` bytes at `offset`. If it races with an earlier access, returns
    // that one and stops.
    conflict add(accessor const& accessor, std::size_t offset, std::size_t bytes, access kind);

  private:
    // Where a page begins in the shadow, by its number.
    int start_of(std::size_t page);

    std::unordered_map<std::size_t, int> starts_;
    std::size_t last_page_ = 0; // that was asked for, and its start
    int last_start_ = 0;
    race_shadow shadow_;
};

} // namespace spio::sim
