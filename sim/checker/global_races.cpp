// Finds races of the threads of a block in global memory.
// SPDX-License-Identifier: Apache-2.0
//
// An offset is a number of bytes from the start of the simulated global memory. A race shadow has
// the latest accesses to each byte of a range; here a range of pages that grows.
#include "sim/checker/global_races.h"

#include <algorithm>

namespace spio::sim {

constexpr std::size_t page_bytes = 1024;
constexpr std::size_t transitions = 256; // a block often makes few accesses

int global_races::start_of(std::size_t page) {
    if (starts_.empty()) {
        shadow_.open(0, transitions);
    } else if (page == last_page_) {
        return last_start_;
    }
    auto const [position, is_new] = starts_.try_emplace(page, 0);
    if (is_new) position->second = shadow_.grow(page_bytes);
    last_page_ = page;
    last_start_ = position->second;
    return last_start_;
}

global_races::conflict global_races::add(accessor const& accessor, std::size_t offset,
                                         std::size_t bytes, access kind) {
    auto const end = offset + bytes;
    for (auto begin = offset; begin < end;) {
        auto const page = begin / page_bytes;
        auto const part = std::min(end, (page + 1) * page_bytes) - begin;
        auto const first = start_of(page) + static_cast<int>(begin % page_bytes);
        auto const race = shadow_.add(accessor, first, static_cast<int>(part), kind);
        if (race.offset >= 0) {
            return {begin + static_cast<std::size_t>(race.offset - first), race.observer,
                    race.kind};
        }
        begin += part;
    }
    return {0, -1, access::read};
}

} // namespace spio::sim
