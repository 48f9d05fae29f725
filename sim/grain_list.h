// The free grains of the arena, kept as ranges. A freed range is joined with free neighbours.
// SPDX-License-Identifier: Apache-2.0
//
// The arena is the simulated global memory; a grain is the unit in which it is given out.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace spio::sim::arena {

class grain_list {
  public:
    // At first, `count` grains from `first` on are free.
    explicit grain_list(std::size_t first, std::size_t count) { insert(first, count); }

    // Gives back `count` grains from `first` on.
    void free(std::size_t first, std::size_t count) {
        auto next = ranges_.lower_bound(first);
        if (next != ranges_.end() && next->first == first + count) {
            count += next->second;
            next = erase(next);
        }
        if (next != ranges_.begin()) {
            auto const previous = std::prev(next);
            if (previous->first + previous->second == first) {
                first = previous->first;
                count += previous->second;
                erase(previous);
            }
        }
        insert(first, count);
    }
    // Takes `count` neighbouring grains and returns the first of them. They come from the smallest
    // free range that is long enough; empty if there is none.
    std::optional<std::size_t> take(std::size_t count) {
        auto const best = by_count_.lower_bound({count, 0});
        if (best == by_count_.end()) return {};
        auto const [size, first] = *best;
        erase(ranges_.find(first));
        if (size > count) insert(first + count, size - count);
        return first;
    }

  private:
    using range_map = std::map<std::size_t, std::size_t>; // first grain -> count

    void insert(std::size_t first, std::size_t count) {
        ranges_[first] = count;
        by_count_.insert({count, first});
    }
    range_map::iterator erase(range_map::iterator range) {
        by_count_.erase({range->second, range->first});
        return ranges_.erase(range);
    }

    range_map ranges_;
    std::set<std::pair<std::size_t, std::size_t>> by_count_; // (count, first grain)
};

} // namespace spio::sim::arena
