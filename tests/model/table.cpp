// Tables of trees: what their reader accepts, and the values that they give.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees: each node compares a feature with a threshold,
// each leaf has a value, and the values of all trees are added to `base`. The file is text; numbers
// are bits of floats in hexadecimal digits.
#include <doctest/doctest.h>

#include "drawn_trees.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.error;
import spio.model;

using spio::model::forest;

namespace {

// The lines before the trees. A feature has a name, its least and its greatest value, and
// thresholds.
std::string const head = "spio-model 2\nname a test\nchip H200\nsource nowhere\nbase 3f800000\n"
                         "feature width 00000000 41200000 3f800000 40a00000\n"
                         "feature height c0000000 40000000 00000000\n";
// Splits 00 and 01 are those of the width, at 1 and at 5, and 02 is that of the height, at 0.
std::string const trees =
    "tree 01" + leaf(0.5f) + leaf(2) + "\ntree 0200" + leaf(-0.5f) + leaf(0.25f) + leaf(3) + "\n";

// Why a table is refused; empty if it is not.
std::string refusal(std::string_view text) {
    try {
        forest::parse(text, "table");
        return "";
    } catch (spio::error const& e) {
        return e.what();
    }
}
// Why a table is refused whose only tree has these nodes; empty if it is not.
std::string refusal_of_tree(std::string const& nodes) {
    return refusal(head + "tree " + nodes + "\n");
}

float value_of(forest const& forest, std::vector<float> const& row) {
    float value = 0;
    forest.predict(row, std::span(&value, 1));
    return value;
}

} // namespace

TEST_CASE("a row takes one leaf of each tree, and a number at the threshold goes to the right") {
    auto const table = forest::parse(head + trees, "table");
    CHECK(table.name() == "a test");
    CHECK(table.chip() == "H200");
    CHECK(table.source() == "nowhere");
    REQUIRE(table.features().size() == 2);
    CHECK(table.features()[1] == "height");
    CHECK(value_of(table, {0, -1}) == 1 + 0.5f - 0.5f);
    CHECK(value_of(table, {1, -1}) == 1 + 0.5f + 0.25f);
    CHECK(value_of(table, {5, -1}) == 1 + 2.0f + 0.25f);
    CHECK(value_of(table, {5, 0}) == 1 + 2.0f + 3.0f);
    CHECK(value_of(table, {std::numeric_limits<float>::quiet_NaN(), 0}) == 1 + 2.0f + 3.0f);
}

TEST_CASE("random tables have the values of their trees, added in order") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        drawing draw(seed);
        unsigned const features = 1 + draw.below(6);
        std::string text = "spio-model 2\nname n\nchip c\nsource s\nbase 3dcccccd\n";
        text += drawn_features(features);
        std::vector<std::unique_ptr<plain_node>> plain;
        for (unsigned i = 0; i < 1 + draw.below(20); ++i) {
            plain.push_back(draw.tree(features, draw.below(8)));
            text += "tree " + plain.back()->text() + "\n";
        }
        auto const table = forest::parse(text, "table");
        std::size_t const count = 1 + draw.below(30);
        std::vector<float> rows, values(count);
        for (std::size_t i = 0; i < count * features; ++i) rows.push_back(draw.number());
        table.predict(rows, values);
        for (std::size_t i = 0; i < count; ++i) {
            auto const row = std::span(rows).subspan(i * features, features);
            float sum = 0.1f;
            for (auto const& tree : plain) sum += tree->value(row);
            REQUIRE(std::bit_cast<std::uint32_t>(values[i]) == std::bit_cast<std::uint32_t>(sum));
        }
    }
}

TEST_CASE(
    "the least of few rows has the least sum; of many rows, one that the first trees favour") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        drawing draw(seed);
        unsigned const features = 1 + draw.below(6);
        std::string text = "spio-model 2\nname n\nchip c\nsource s\nbase 3dcccccd\n";
        text += drawn_features(features);
        // The first tree is worth more than all others together. Its only split, 0G or 16, is that
        // of the first feature at 0, the middle of 33 thresholds.
        text += "tree 0G" + leaf(-1024) + leaf(1024) + "\n";
        for (unsigned i = 0; i < 16; ++i) text += "tree " + draw.tree(features, 3)->text() + "\n";
        auto const table = forest::parse(text, "table");
        for (std::size_t const count : {1, 2, 3, 4, 5, 40, 100}) {
            std::vector<float> rows, values(count);
            std::vector<double> offsets;
            for (std::size_t i = 0; i < count * features; ++i) rows.push_back(draw.number());
            for (std::size_t i = 0; i < count; ++i) offsets.push_back(draw.below(3));
            table.predict(rows, values);
            auto const sum = [&](std::size_t i) {
                return offsets[i] + static_cast<double>(values[i]);
            };
            auto const found = table.least(rows, offsets);
            REQUIRE(found < count);
            CHECK(found == table.least(rows, offsets));
            bool is_favoured = false;
            for (std::size_t i = 0; i < count; ++i) {
                is_favoured = is_favoured || rows[i * features] < 0;
                // Of few rows none leaves early. Of equal sums, the first row counts.
                bool const is_after = sum(i) > sum(found) || (sum(i) == sum(found) && i >= found);
                if (count <= 2) REQUIRE(is_after);
            }
            if (is_favoured) CHECK(rows[found * features] < 0);
        }
    }
}

TEST_CASE("rows of another size are refused") {
    auto const table = forest::parse(head + trees, "table");
    std::vector<float> values(2), rows(3);
    std::vector<double> offsets(2);
    CHECK_THROWS_AS(table.predict(rows, values), spio::error);
    CHECK_THROWS_AS(table.least(rows, offsets), spio::error);
    CHECK_THROWS_AS(table.least({}, {}), spio::error);
}

TEST_CASE(
    "first_outside() names the first feature out of its range, a sixteenth of which is added") {
    auto const table = forest::parse(head + trees, "table");
    auto const outside = [&](float width, float height) {
        return table.first_outside(std::vector{width, height});
    };
    CHECK(outside(0, 0) == 2);
    CHECK(outside(10.6f, 2.2f) == 2);
    CHECK(outside(10.7f, 0) == 0);
    CHECK(outside(-0.7f, 0) == 0);
    CHECK(outside(5, 2.3f) == 1);
    CHECK(outside(5, std::numeric_limits<float>::quiet_NaN()) == 1);
    CHECK_THROWS_AS(table.first_outside(std::vector{5.0f}), spio::error);
    CHECK_THROWS_AS(table.first_outside(std::vector{5.0f, 0.0f, 0.0f}), spio::error);
    CHECK_THROWS_AS(table.first_outside({}), spio::error);
}

TEST_CASE("a table that breaks the format is refused, and the message names the line") {
    CHECK(refusal(head + trees).empty());
    CHECK(refusal("# a comment\n" + head + "# another\n" + trees).empty());
    CHECK(refusal("").find("table:0") != std::string::npos);
    CHECK(refusal("spio-model 2\n").find("table:1") != std::string::npos);
    CHECK(refusal(head).find("a feature must come here") == std::string::npos);
    CHECK(refusal(head).find("a tree must come here") != std::string::npos);
    CHECK(!refusal(head + trees.substr(0, trees.size() - 1)).empty());
    CHECK(!refusal(head + trees + "\n").empty());
    CHECK(!refusal(head + trees + "feature late 00000000 00000000\n").empty());
    CHECK(!refusal(head + "feature width 00000000 00000000\n" + trees).empty()); // a second time
    CHECK(!refusal(head + "feature empty 3f800000 00000000\n" + trees).empty()); // an empty range
}

TEST_CASE("a table has as many bytes and features as may be, and no more") {
    // Two characters more are the # and the end of the line.
    auto const start = head + trees;
    auto const comment = "#" + std::string(forest::most_bytes - start.size() - 2, '-') + "\n";
    CHECK(refusal(start + comment).empty());
    CHECK(refusal(start + "-" + comment).ends_with("it has more than 1048576 bytes"));
    CHECK(refusal(comment + "#\n" + start).ends_with("it has more than 1048576 bytes"));
    std::string features;
    for (std::size_t i = 0; i < forest::most_features; ++i) {
        features += "feature f" + std::to_string(i) + " 00000000 3f800000\n";
    }
    auto const first = head.substr(0, head.find("feature"));
    CHECK(refusal(first + features + "tree " + leaf(1) + "\n").empty());
    CHECK(refusal(first + features + "feature f 00000000 3f800000\ntree " + leaf(1) + "\n")
              .ends_with("there are more than 256 features"));
}

TEST_CASE("each line that is wrong is named by its number, and its words are cut off") {
    std::string text;
    for (int line = 1; line <= 9; ++line) {
        // Comments count, wherever they are. 13 characters are the first line.
        auto const start = "spio-model 2\n# one\n" + head.substr(13) + text;
        auto const place = "table:" + std::to_string(8 + line);
        CHECK(refusal(start + "feature\n").find(place + ":") != std::string::npos);
        CHECK(refusal(start + "tree " + leaf(1) + "\n").empty());
        text += "# another\n";
    }
    auto const digits = std::string(41, '7');
    CHECK(refusal(head + "feature late " + digits + " 00000000\n")
              .find("'" + digits.substr(1) + "' is no finite") != std::string::npos);
}

TEST_CASE("a tree must be one: bounded, finite, each node the child of one other") {
    auto const infinity = std::numeric_limits<float>::infinity();
    CHECK(refusal_of_tree(leaf(0.5f)).empty());
    CHECK(refusal_of_tree("01" + leaf(0.5f) + leaf(2)).empty());
    for (auto const& nodes : {std::string(),
                              std::string("="),
                              leaf(infinity),
                              leaf(-infinity),
                              leaf(std::numeric_limits<float>::quiet_NaN()),
                              leaf(1).substr(0, 6),
                              leaf(1) + "0",
                              leaf(1) + leaf(1),
                              leaf(1) + " ",
                              " " + leaf(1),
                              std::string("=400000"),
                              std::string("=______"),
                              std::string("=0zz+zz"),
                              std::string("0"),
                              std::string("01"),
                              "01" + leaf(1),
                              "01" + leaf(1) + leaf(1) + leaf(1),
                              "03" + leaf(1) + leaf(1),
                              "__" + leaf(1) + leaf(1),
                              "0!" + leaf(1) + leaf(1),
                              "01 " + leaf(1) + leaf(1),
                              "0102" + leaf(1) + leaf(1)}) {
        CAPTURE(nodes);
        CHECK(!refusal_of_tree(nodes).empty());
    }
}

TEST_CASE("thresholds are finite and increase, and there are not too many") {
    auto const refused = [](std::string const& thresholds) {
        return refusal("spio-model 2\nname a test\nchip H200\nsource nowhere\nbase 3f800000\n"
                       "feature width 00000000 41200000" +
                       thresholds + "\ntree " + leaf(1) + "\n");
    };
    CHECK(refused("").empty());
    CHECK(refused(" bf800000 3f800000 40000000").empty());
    CHECK(!refused(" 3f800000 3f800000").empty());
    CHECK(!refused(" 40000000 3f800000").empty());
    CHECK(!refused(" 7f800000").empty());
    CHECK(!refused("  3f800000").empty());
    CHECK(!refused(" ").empty());
    CHECK(!refused(" bf800000 3f800000 ").empty());
    std::string many;
    for (unsigned i = 0; i < forest::most_splits; ++i) {
        char bits[10];
        std::snprintf(bits, sizeof bits, " %08x", 0x3f800000 + i);
        many += bits;
    }
    CHECK(refused(many).empty());
    CHECK(!refused(many + " 40000000").empty());
}

TEST_CASE("a tree may be so deep, and all trees together so large") {
    // A tree in which each right child is a leaf.
    auto const chain = [](std::size_t depth) {
        std::string text;
        for (std::size_t i = 0; i < depth; ++i) text += "01";
        for (std::size_t i = 0; i <= depth; ++i) text += leaf(0.5f);
        return text;
    };
    CHECK(refusal_of_tree(chain(forest::most_depth)).empty());
    CHECK(refusal_of_tree(chain(forest::most_depth + 1)).find("deeper than") != std::string::npos);
    std::string shallow;
    for (std::size_t i = 0; i < forest::most_places >> forest::most_depth; ++i) {
        shallow += "tree " + leaf(0.5f) + "\n";
    }
    CHECK(refusal(head + shallow).empty());
    CHECK(!refusal(head + shallow + "tree " + chain(forest::most_depth) + "\n").empty());
}

TEST_CASE("a table with one byte changed is refused, or still has a value for every row") {
    auto const text = head + trees;
    std::size_t accepted = 0, refused = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        for (char const c : {'0', 'f', ' ', '\n', '\xff'}) {
            auto changed = text;
            changed[i] = c;
            try {
                auto const table = forest::parse(changed, "table");
                value_of(table, std::vector<float>(table.features().size(), 1.5f));
                ++accepted;
            } catch (spio::error const&) {
                ++refused;
            }
        }
    }
    CHECK(accepted > 0);
    CHECK(refused > accepted);
}
