// Evaluates a table of trees.
// SPDX-License-Identifier: Apache-2.0
module;

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

module spio.model;

import spio.error;

namespace spio::model {

void forest::predict(std::span<float const> rows, std::span<float> values) const {
    std::size_t const width = feature_names.size();
    if (rows.size() != width * values.size()) {
        throw error(error_kind::invalid, "predict", "a model of " + title,
                    std::to_string(rows.size()) + " numbers are not " +
                        std::to_string(values.size()) + " rows of " + std::to_string(width));
    }
    // Several rows go down a tree together, so that the processor overlaps their loads.
    constexpr std::size_t lanes = 8;
    for (std::size_t first = 0; first < values.size(); first += lanes) {
        std::size_t const count = std::min(lanes, values.size() - first);
        float const* row[lanes];
        float sums[lanes];
        for (std::size_t i = 0; i < lanes; ++i) {
            row[i] = rows.data() + (first + std::min(i, count - 1)) * width;
            sums[i] = base;
        }
        for (auto const& [begin, depth] : trees) {
            auto const* const tree_nodes = nodes.data() + begin;
            std::size_t place[lanes] = {};
            for (std::size_t level = 0; level < depth; ++level) {
                for (std::size_t i = 0; i < lanes; ++i) {
                    auto const& current = tree_nodes[place[i]];
                    place[i] =
                        row[i][current.feature] < current.threshold ? current.left : current.right;
                }
            }
            for (std::size_t i = 0; i < lanes; ++i) sums[i] += leaf_values[begin + place[i]];
        }
        std::copy_n(sums, count, values.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

std::size_t forest::first_outside(std::span<float const> row) const {
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
        float const margin = (greatest[i] - least[i]) / 16;
        bool const is_inside = row[i] >= least[i] - margin && row[i] <= greatest[i] + margin;
        if (!is_inside) return i;
    }
    return feature_names.size();
}

} // namespace spio::model
