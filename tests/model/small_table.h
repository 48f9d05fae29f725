// A table of two trees, and why tables are refused.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees. Include it after `import spio.error; import
// spio.model;`.
#pragma once

#include "drawn_trees.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

using spio::model::forest;

// The lines before the trees. A feature has a name, its least and its greatest value, and
// thresholds.
inline std::string const head = "spio-model 3\nname a test\nchip H200\nsource nowhere\n"
                                "feature width 00000000 41200000 3f800000 40a00000\n"
                                "feature height c0000000 40000000 00000000\n";
// Splits 00 and 01 are those of the width, at 1 and at 5, and 02 is that of the height, at 0.
inline std::string const trees = "tree 01" + leaf(0.25f) + leaf(0.375f) + "\ntree 0200" +
                                 leaf(-0.5f) + leaf(0.125f) + leaf(0x1p-16f) + "\n";

// Why a table is refused; empty if it is not.
inline std::string refusal(std::string_view text) {
    try {
        forest::parse(text, "table");
        return "";
    } catch (spio::error const& e) {
        return e.what();
    }
}
// Why a table is refused whose only tree has these nodes; empty if it is not.
inline std::string refusal_of_tree(std::string const& nodes) {
    return refusal(head + "tree " + nodes + "\n");
}

inline float value_of(forest const& forest, std::vector<float> const& row) {
    float value = 0;
    forest.predict(row, std::span(&value, 1));
    return value;
}
