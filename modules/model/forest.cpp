// Evaluates a table of trees.
// SPDX-License-Identifier: Apache-2.0
//
// A forest is a sum of decision trees that predicts a kernel's time from the features of a
// configuration; a row is the features of one. A row takes as many steps as the deepest of the
// trees that are walked together has levels: from a leaf it goes on to the same leaf, so that no
// step asks whether it has arrived. Several rows, or trees, are lanes that are walked together, so
// that the processor overlaps their loads. Keys are numbers that are ordered as floats are; a step
// of a lane is then six instructions.
module;

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

module spio.model;

import spio.error;

namespace spio::model {

namespace {

// Where most rows leave the search for the least sum: the trees after which that happens, of all
// trees, and the rows that go on, of those whose sums are at most so much above the least. Each
// tree takes a part of what those before it have left, so sums are compared after a factor that
// makes them as large as whole ones are: the slope of whole sums over those of the first trees. Of
// 808 layers of wgrad that were held out of a training, the rows that are found take 0.23 % longer
// on average than those of the least values, of 1365 of fprop and dgrad 0.1 %, by a seventh of the
// trees' walks.
struct round {
    std::size_t parts; // of 32 of the trees
    std::size_t rows;
    double factor, margin;
};
constexpr round rounds[] = {{1, 20, 3.1, 0.5},
                            {3, 12, 1.4, 0.25},
                            {6, 7, 1.1, 0.12},
                            {10, 4, 1.035, 0.07},
                            {16, 3, 1.01, 0.04}};
constexpr std::size_t least_trees = 64;   // of a table that has such rounds
constexpr std::size_t joining_parts = 10; // of the round in which the joining rows come in

} // namespace

forest::key forest::key_of(float number) {
    // Adding 0 makes 0 of -0. The bits of positive floats are ordered, those of negative ones
    // backwards.
    auto const bits = std::bit_cast<std::uint32_t>(number + 0.0F);
    auto const negative = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31);
    auto const is_nan = std::uint32_t(0) - std::uint32_t(number != number);
    return (bits ^ (negative | std::uint32_t(1) << 31)) | is_nan;
}

// The keys of a few rows, at a fixed distance.
class forest::row_block {
  public:
    void set(std::size_t lane, std::span<key const> row) {
        std::ranges::copy(row, keys.data() + lane * most_features);
    }
    key number(std::size_t lane, std::size_t feature) const {
        return keys[lane * most_features + feature];
    }

  private:
    std::array<key, lanes * most_features> keys;
};

// A row in the search for the least sum.
struct forest::candidate {
    std::size_t row;
    int sum;      // of leaves
    double total; // the predicted whole sum, and the offset of the row that least() was given
};

// Adds the leaves of the trees `first` to `end` that each row arrives at to the row's sum. Rows x
// Trees walks go on at the same time; the trees that are left over are walked in fewer at a time.
template <std::size_t Rows, std::size_t Trees>
void forest::walk(row_block const& block, std::span<int> sums, std::size_t first,
                  std::size_t end) const {
    constexpr std::size_t walks = Rows * Trees;
    std::array<int, Rows> totals;
    std::ranges::copy(sums.first(Rows), totals.begin());
    for (; first + Trees <= end; first += Trees) {
        std::uint32_t place[walks], depth = 0;
        for (std::size_t i = 0; i < walks; ++i) {
            place[i] = trees[first + i / Rows].root;
            depth = std::max(depth, trees[first + i / Rows].depth);
        }
        for (; depth > 0; --depth) {
            for (std::size_t i = 0; i < walks; ++i) {
                auto const& split = nodes[place[i]];
                place[i] = split.left + (block.number(i % Rows, split.feature) >= split.threshold);
            }
        }
        for (std::size_t i = 0; i < walks; ++i) totals[i % Rows] += value_of_leaf(nodes[place[i]]);
    }
    std::ranges::copy(totals, sums.begin());
    if constexpr (Trees > 1) {
        if (first < end) walk<Rows, Trees / 2>(block, sums, first, end);
    }
}

std::vector<forest::key> forest::keys_of(std::span<float const> rows) {
    std::vector<key> keys(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = key_of(rows[i]);
    return keys;
}

// So many of the first features are the same in all rows.
std::size_t forest::common_features(std::span<key const> rows) const {
    std::size_t const width = feature_names.size();
    std::size_t common = width;
    for (std::size_t first = width; first < rows.size(); first += width) {
        auto const row = rows.subspan(first, common);
        common = static_cast<std::size_t>(std::ranges::mismatch(row, rows).in1 - row.begin());
    }
    return common;
}

void forest::add_trees(std::span<candidate> candidates, std::span<key const> rows,
                       std::size_t first, std::size_t end) const {
    std::size_t const width = feature_names.size();
    row_block block;
    while (!candidates.empty()) {
        auto const group = candidates.first(std::bit_floor(std::min(lanes, candidates.size())));
        candidates = candidates.subspan(group.size());
        int sums[lanes];
        for (std::size_t i = 0; i < group.size(); ++i) {
            block.set(i, rows.subspan(group[i].row * width, width));
            sums[i] = group[i].sum;
        }
        switch (group.size()) {
        case 8:
            walk<8, 2>(block, sums, first, end);
            break;
        case 4:
            walk<4, 4>(block, sums, first, end);
            break;
        case 2:
            walk<2, 8>(block, sums, first, end);
            break;
        default:
            walk<1, 16>(block, sums, first, end);
        }
        for (std::size_t i = 0; i < group.size(); ++i) group[i].sum = sums[i];
    }
}

void forest::check_size(std::size_t numbers, std::size_t rows) const {
    if (numbers == rows * feature_names.size()) return;
    throw error(error_kind::invalid, "predict", "a model of " + title,
                std::to_string(numbers) + " numbers are not " + std::to_string(rows) + " rows of " +
                    std::to_string(feature_names.size()));
}

void forest::predict(std::span<float const> rows, std::span<float> values) const {
    check_size(rows.size(), values.size());
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < values.size(); ++i)
        candidates.push_back({.row = i, .sum = 0, .total = 0});
    add_trees(candidates, keys_of(rows), /*first=*/0, trees.size());
    std::ranges::transform(candidates, values.begin(), [](candidate const& found) {
        return static_cast<float>(found.sum) * unit;
    });
}

std::size_t forest::least(std::span<float const> rows, std::span<double const> offsets,
                          std::size_t joining_rows) const {
    check_size(rows.size(), offsets.size());
    if (offsets.empty() || joining_rows > offsets.size()) {
        throw error(error_kind::invalid, "predict", "a model of " + title,
                    offsets.empty() ? "of no rows none has the least value"
                                    : "there are fewer rows than joining ones");
    }
    std::vector<candidate> candidates;
    candidates.reserve(offsets.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        candidates.push_back({.row = i, .sum = 0, .total = 0});
    }
    std::vector<candidate> others(candidates.end() - static_cast<std::ptrdiff_t>(joining_rows),
                                  candidates.end());
    candidates.resize(candidates.size() - joining_rows);
    auto const comes_before = [](candidate const& a, candidate const& b) {
        return a.total != b.total ? a.total < b.total : a.row < b.row;
    };
    auto const keys = keys_of(rows);
    auto const add = [&](std::vector<candidate>& list, std::size_t first, std::size_t end,
                         double factor) {
        add_trees(list, keys, first, end);
        for (auto& each : list) {
            auto const total = offsets[each.row] + static_cast<double>(each.sum) * unit * factor;
            each.total = std::isnan(total) ? std::numeric_limits<double>::infinity() : total;
        }
    };
    // The last trees may compare only what all rows have in common: they tell no two rows apart.
    std::size_t const common = common_features(keys);
    std::size_t last = trees.size();
    while (last > 0 && trees[last - 1].features <= common) --last;
    std::size_t done = 0;
    for (auto const& [parts, count, factor, margin] : rounds) {
        if (trees.size() < least_trees || candidates.size() + others.size() <= 1) break;
        auto const end = std::min(last, trees.size() * parts / 32);
        if (parts == joining_parts) {
            add(others, 0, done, factor);
            candidates.insert(candidates.end(), others.begin(), others.end());
            others.clear();
        }
        if (candidates.empty()) continue;
        add(candidates, done, end, factor);
        done = end;
        if (candidates.size() > count) {
            std::ranges::nth_element(
                candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count), comes_before);
            candidates.resize(count);
        }
        auto const most = std::ranges::min(candidates, comes_before).total + margin;
        std::erase_if(candidates, [&](candidate const& other) { return other.total > most; });
    }
    add(others, 0, done, 1);
    candidates.insert(candidates.end(), others.begin(), others.end());
    if (candidates.size() == 1) return candidates.front().row;
    add(candidates, done, last, 1);
    return std::ranges::min(candidates, comes_before).row;
}

// The first feature that lies outside the values of the training, by more than a sixteenth of their
// range; the number of features if there is none.
std::size_t forest::first_outside(std::span<float const> row) const {
    check_size(row.size(), /*rows=*/1);
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
        if (!is_inside(i, row[i])) return i;
    }
    return feature_names.size();
}
bool forest::is_inside(std::size_t feature, float value) const {
    float const margin = (greatest[feature] - least_values[feature]) / 16;
    return value >= least_values[feature] - margin && value <= greatest[feature] + margin;
}

} // namespace spio::model
