// Tables of trees: what their reader accepts, and what it refuses with which words.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees, a file of text. A split compares a feature with a
// threshold; a tree is named by the digits of its nodes.
#include <doctest/doctest.h>

#include "drawn_trees.h"

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

import spio.error;
import spio.model;

#include "small_table.h"

TEST_CASE("a table that breaks the format is refused, and the message names the line") {
    CHECK(refusal(head + trees).empty());
    CHECK(refusal("# a comment\n" + head + "# another\n" + trees).empty());
    CHECK(refusal("").find("table:0") != std::string::npos);
    CHECK(refusal("spio-model 3\n").find("table:1") != std::string::npos);
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
    CHECK(refusal(first + features + "tree " + leaf(0.25f) + "\n").empty());
    CHECK(refusal(first + features + "feature f 00000000 3f800000\ntree " + leaf(0.25f) + "\n")
              .ends_with("there are more than 256 features"));
}

TEST_CASE("each line that is wrong is named by its number, and its words are cut off") {
    std::string text;
    for (int line = 1; line <= 9; ++line) {
        // Comments count, wherever they are. 13 characters are the first line.
        auto const start = "spio-model 3\n# one\n" + head.substr(13) + text;
        auto const place = "table:" + std::to_string(7 + line);
        CHECK(refusal(start + "feature\n").find(place + ":") != std::string::npos);
        CHECK(refusal(start + "tree " + leaf(0.25f) + "\n").empty());
        text += "# another\n";
    }
    auto const digits = std::string(41, '7');
    CHECK(refusal(head + "feature late " + digits + " 00000000\n")
              .find("'" + digits.substr(1) + "' is no finite") != std::string::npos);
}

TEST_CASE("a tree must be one: bounded, each node the child of one other") {
    CHECK(refusal_of_tree(leaf(0.25f)).empty());
    CHECK(refusal_of_tree("01" + leaf(0.25f) + leaf(0.375f)).empty());
    for (auto const& nodes :
         {std::string(), leaf(0.25f).substr(0, 2), leaf(0.25f) + "0", leaf(0.25f) + leaf(0.25f),
          leaf(0.25f) + " ", " " + leaf(0.25f), "=" + leaf(0.25f), std::string("zz+"),
          std::string("0"), std::string("01"), "01" + leaf(0.25f),
          "01" + leaf(0.25f) + leaf(0.25f) + leaf(0.25f), "03" + leaf(0.25f) + leaf(0.25f),
          "k_" + leaf(0.25f) + leaf(0.25f), "0!" + leaf(0.25f) + leaf(0.25f),
          "01 " + leaf(0.25f) + leaf(0.25f), "0102" + leaf(0.25f) + leaf(0.25f)}) {
        CAPTURE(nodes);
        CHECK(!refusal_of_tree(nodes).empty());
    }
}

TEST_CASE("the least and the greatest leaf are the first and the last number after all splits") {
    auto const value = [](std::string const& nodes) {
        return value_of(forest::parse(head + "tree " + nodes + "\n", "table"), {0, 0});
    };
    CHECK(leaf(-0.5f) == "m00");
    CHECK(value("m00") == -0.5f);
    CHECK(value("m01") == -0.5f + 0x1p-16f);
    CHECK(value("u00") == 0);
    CHECK(value("___") == 0.5f - 0x1p-16f);
    CHECK(refusal_of_tree("l__").find("there is no split 3071") != std::string::npos);
}

TEST_CASE("a table of format 2 is refused with what to do") {
    auto older = head + trees;
    older.replace(older.find('3'), 1, "2");
    CHECK(refusal(older).find("table:1: a table of format 2 was trained for an older version of "
                              "the library, which read other trees; train it again") !=
          std::string::npos);
    older.replace(older.find('2'), 1, "4");
    CHECK(refusal(older).find("the first line must be 'spio-model 3'") != std::string::npos);
}

TEST_CASE("thresholds are finite and increase, and there are not too many") {
    auto const refused = [](std::string const& thresholds) {
        return refusal("spio-model 3\nname a test\nchip H200\nsource nowhere\n"
                       "feature width 00000000 41200000" +
                       thresholds + "\ntree " + leaf(0.25f) + "\n");
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
        for (std::size_t i = 0; i <= depth; ++i) text += leaf(0.25f);
        return text;
    };
    CHECK(refusal_of_tree(chain(forest::most_depth)).empty());
    CHECK(refusal_of_tree(chain(forest::most_depth + 1)).find("deeper than") != std::string::npos);
    // Trees of 127 nodes, then one with those that are still allowed.
    auto const full = [](auto const& self, std::size_t depth) -> std::string {
        return depth == 0 ? leaf(0.25f) : "01" + self(self, depth - 1) + self(self, depth - 1);
    };
    std::string many;
    for (std::size_t i = 0; i < forest::most_nodes / 127; ++i) {
        many += "tree " + full(full, 6) + "\n";
    }
    auto const rest = forest::most_nodes % 127;
    for (std::size_t i = 0; i < rest; ++i) many += "tree " + leaf(0.25f) + "\n";
    CHECK(refusal(head + many).empty());
    CHECK(refusal(head + many + "tree " + leaf(0.25f) + "\n").find("nodes") != std::string::npos);
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

TEST_CASE("a table has so many trees") {
    std::string text = head;
    for (std::size_t i = 0; i < forest::most_trees; ++i) text += "tree " + leaf(-0.5f) + "\n";
    auto const table = forest::parse(text, "table");
    CHECK(value_of(table, {0, 0}) == -0.5f * forest::most_trees);
    CHECK(refusal(text + "tree " + leaf(0.25f) + "\n").ends_with("there are more than 4096 trees"));
}
