// Learned models of times: tables of regression trees, read strictly and evaluated exactly.
// SPDX-License-Identifier: Apache-2.0
//
// bench/models/train.py writes such a table with XGBoost. A value of a table is the sum of one leaf
// of each tree. Leaves are whole multiples of 2^-16, at least -1/2 and less than 1/2, to which
// training rounds those of XGBoost. Sums of such numbers are exact, in whole numbers as in floats:
// so XGBoost, given the rounded leaves, has the same bits.
//
//     spio-model 3
//     name conv2d correlation
//     chip H200
//     source NVIDIA H200 | sm_90a | driver 580.95 | 2026-11-22 | 60000 times of 3000 layers
//     feature log_n 00000000 41100000 3f800000 40000000
//     feature log_groups 00000000 41000000 40400000
//     …
//     tree 0200u04s0zs7F
//
// Numbers in hexadecimal digits are the bits of a float. A feature has the least and the greatest
// value that it had in training, and then the thresholds that trees compare it with, in increasing
// order. A split is a feature and one of its thresholds; the splits of all features are numbered in
// the order of the text. The nodes of a tree are in preorder. An inner node is the number of its
// split, in two digits; the nodes of its left child follow it, then those of its right child. A row
// goes to the left if its feature is below the threshold. Three digits that begin with those of at
// least most_splits are a leaf: less 64 most_splits they are a number from 0 to 65535, from which
// 32768 and then 2^-16 make the value. The digits are 0-9 A-Z a-z - _, in the order of their values
// from 0 to 63.
module;

#include <atomic>
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
    // or if there is more than most_bytes, most_features, most_trees, most_nodes, most_splits or
    // most_depth of what they count. Its time is linear in the length of the text.
    static forest parse(std::string_view text, std::string const& name);
    static constexpr std::size_t most_bytes = 1 << 20, most_features = 256;
    static constexpr std::size_t most_trees = 1 << 12;
    static constexpr std::size_t most_nodes = 1 << 17; // of all trees together
    static constexpr std::size_t most_splits = 3072;   // of all features together
    static constexpr std::size_t most_depth = 12;      // nodes above a leaf

    std::string const& name() const { return title; }
    // The chip of the GPU that was measured.
    std::string const& chip() const { return trained_chip; }
    // What was measured, where and when.
    std::string const& source() const { return origin; }
    // The file that the table was read from, as parse() was told it.
    std::string const& file() const { return file_name; }
    std::span<std::string const> features() const { return feature_names; }

    // Writes the value of each row; a row has as many numbers as there are features. Throws if the
    // sizes do not agree. A NaN goes to the right.
    void predict(std::span<float const> rows, std::span<float> values) const;
    // The row for which its value and its offset have the least sum. Where there are many trees,
    // all rows go through the first of them only. The few whose sums are then the least, or nearly
    // so, go on, and fewer again go to the end: a row that falls back early is not chosen, even if
    // later trees would have brought it forward. The last joining_rows rows, of which early trees
    // tell little, join the few that are left after a third of the trees. Of equal sums, the first
    // row has the least. Throws if there is no row, or if the sizes do not agree.
    std::size_t least(std::span<float const> rows, std::span<double const> offsets,
                      std::size_t joining_rows = 0) const;
    // Whether a feature, by its number, has a value inside the range that it had in training, or
    // outside by at most a sixteenth of that range.
    bool is_inside(std::size_t feature, float value) const;
    // The first feature of the row that is not inside; the number of features if there is none.
    // Throws if the row has another size.
    std::size_t first_outside(std::span<float const> row) const;

  private:
    // A number that orders floats as they are ordered: the key of a NaN is above all others, those
    // of 0 and -0 are equal. Trees compare keys, which takes fewer instructions.
    using key = std::uint32_t;
    static key key_of(float);
    static std::vector<key> keys_of(std::span<float const>);
    // A row goes on at node `left` if its feature is below the threshold, else at the next one
    // after that. From a leaf every row goes on to the leaf itself: no key is below its threshold,
    // which tells its value.
    struct node {
        key threshold;
        std::uint32_t feature : 8, left : 24;
    };
    // The values of leaves count units, from least_leaf on; the least key is that of -infinity.
    static constexpr int least_leaf = -32768;
    static constexpr key least_key = 0x007fffff;
    static constexpr key threshold_of_leaf(std::int16_t value) {
        static_assert(32767 - least_leaf < least_key);
        return static_cast<key>(value - least_leaf);
    }
    static constexpr int value_of_leaf(node const& leaf) {
        return static_cast<int>(leaf.threshold) + least_leaf;
    }
    struct tree {
        std::uint32_t root, depth;
        std::uint32_t features; // the first so many: it compares no others
    };
    // Leaves count units. Sums of most_trees leaves fit in 32 bits.
    static constexpr float unit = 1.0F / 65536;
    // Rows go down a tree together: the processor overlaps their loads.
    static constexpr std::size_t lanes = 8;
    class row_block;
    struct candidate;

    std::string title, trained_chip, origin, file_name;
    std::vector<std::string> feature_names;
    std::vector<float> least_values, greatest; // of each feature
    // The nodes of one tree after the other.
    std::vector<tree> trees;
    std::vector<node> nodes;

    std::size_t common_features(std::span<key const> rows) const;
    // Throws unless these numbers are so many rows.
    void check_size(std::size_t numbers, std::size_t rows) const;
    // Adds the values of some trees to the sums of rows.
    template <std::size_t Rows, std::size_t Trees>
    void walk(row_block const&, std::span<int> sums, std::size_t first, std::size_t end) const;
    // Adds the values of trees first to end - 1 to the candidates, whose features are the rows.
    void add_trees(std::span<candidate>, std::span<key const> rows, std::size_t first,
                   std::size_t end) const;

    class reader;
};

// The models that a family ships. They are read when they are first asked for, and then stay.
// Thread-safe, also after a fork: no lock is held. Of several threads that read them at the same
// time, the models of the first to end are kept.
class shipped_models {
  public:
    // Reads the models from their texts. Throws as forest::parse() does, and if the features of one
    // are not these.
    std::vector<forest> const& read(std::span<std::string_view const> texts,
                                    std::span<std::string_view const> features);

  private:
    std::atomic<std::vector<forest> const*> known = nullptr; // never destroyed: threads may choose
                                                             // until the program ends
};

// A model in words: whose it is, and what it was trained on. A local one was trained on this
// machine.
std::string describe_shipped(forest const&);
std::string describe_local(forest const&);

// Models that were trained on this machine. They take the place of those that the library has.
// Thread-safe, also after a fork: no lock is held. What is added stays, so that references to it do
// too.
//
// Adds the table in a text, for an architecture such as "sm_90a". The last one of a name counts,
// for every GPU of the architecture: a choice does not know which GPU it is for. Throws as
// forest::parse() does. A text that was added already is not added again.
void add_local(std::string_view text, std::string const& file, std::string_view arch);
// The model of this name for an architecture; null if there is none.
forest const* find_local(std::string_view name, std::string_view arch);
// How many were added: what was chosen when there were fewer may be chosen otherwise now.
std::size_t local_count();

} // namespace spio::model
