// Learned models of times: tables of regression trees, read strictly and evaluated exactly.
// SPDX-License-Identifier: Apache-2.0
//
// bench/models/train.py writes such a table with XGBoost. A value of a table is the sum of one leaf
// of each tree, added in float and in order, as XGBoost adds them: so both give the same bits.
//
//     spio-model 1
//     name conv2d correlation
//     chip H200
//     source NVIDIA H200 | sm_90a | driver 580.95 | 2026-11-22
//     base 3f000000
//     feature log_n 00000000 41100000
//     …
//     tree 2,41200000,4 5,3f800000,3 =bd23d70a =3c23d70a =3dcccccd
//
// Numbers in hexadecimal digits are the bits of a float. A feature has the least and the greatest
// value that it had in training. The nodes of a tree are in preorder. An inner node is a feature, a
// threshold and the number of its right child; its left child follows it. A row goes to the left if
// its feature is below the threshold. A leaf is = and its value.
module;

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

export module spio.model;

import spio.error;

export namespace spio::model {

class forest {
  public:
    // Throws an error that names the line if the text breaks the format, if a number is not finite,
    // or if there is more than most_bytes, most_features or most_nodes of what they count. Its time
    // is linear in the length of the text.
    static forest parse(std::string_view text, std::string const& name);
    static constexpr std::size_t most_bytes = 1 << 20, most_features = 256;
    static constexpr std::size_t most_nodes = 1 << 16; // of all trees together

    std::string const& name() const { return title; }
    // The chip of the GPU that was measured.
    std::string const& chip() const { return trained_chip; }
    // What was measured, where and when.
    std::string const& source() const { return origin; }
    std::span<std::string const> features() const { return feature_names; }

    // Writes the value of each row; a row has as many numbers as there are features. Throws if the
    // sizes do not agree. A NaN goes to the right.
    void predict(std::span<float const> rows, std::span<float> values) const;
    // The first feature of the row whose value is outside the range that it had in training, by
    // more than a sixteenth of that range; the number of features if there is none.
    std::size_t first_outside(std::span<float const> row) const;

  private:
    // A leaf has an infinite threshold, and itself as both children.
    struct node {
        float threshold;
        std::uint16_t feature, left, right;
    };
    struct tree {
        std::uint32_t first; // of its nodes
        std::uint32_t depth;
    };

    std::string title, trained_chip, origin;
    float base = 0;
    std::vector<std::string> feature_names;
    std::vector<float> least, greatest; // of each feature
    std::vector<tree> trees;
    std::vector<node> nodes;
    std::vector<float> leaf_values; // of each node

    class reader;
};

} // namespace spio::model
