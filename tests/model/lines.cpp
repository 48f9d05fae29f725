// The lines before a table's trees: each has its word, its place and a value.
// SPDX-License-Identifier: Apache-2.0
//
// A table is the text of a learned model: its trees predict a time from numbers called features. A
// line of a feature has its name, and the bits of the least and the greatest value that it was
// trained on.
#include <doctest/doctest.h>

#include "drawn_trees.h"

#include <cstddef>
#include <string>
#include <vector>

import spio.error;
import spio.model;

using spio::model::forest;

namespace {

struct line {
    std::string word, value;
};
std::vector<line> const lines = {
    {"spio-model", "3"}, {"name", "a test"}, {"chip", "H200"}, {"source", "nowhere"}};

// Why a table is refused whose line of this number is another; empty if it is not.
std::string refusal(std::size_t number, std::string const& other) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += i == number ? other : lines[i].word + " " + lines[i].value + "\n";
    }
    try {
        forest::parse(text + "feature width 00000000 41200000\ntree " + leaf(0.25f) + "\n",
                      "table");
        return "";
    } catch (spio::error const& e) {
        return e.what();
    }
}

} // namespace

TEST_CASE("a line whose word is another, or which has no value, is refused by number and word") {
    for (std::size_t i = 1; i < lines.size(); ++i) {
        auto const& [word, value] = lines[i];
        CAPTURE(word);
        auto const expected =
            "table:" + std::to_string(i + 1) + ": '" + word + " …' must come here";
        CHECK(refusal(i, word + " " + value + "\n") == "");
        CHECK(refusal(i, "x" + word + " " + value + "\n").find(expected) != std::string::npos);
        CHECK(refusal(i, word + "\n").find(expected) != std::string::npos);
        CHECK(refusal(i, word + " \n").find(expected) != std::string::npos);
        CHECK(refusal(i, "").find("'" + word + " …' must come here") != std::string::npos);
        CHECK(refusal(i, word + " " + value + "\n" + word + " " + value + "\n") != "");
    }
    CHECK(refusal(0, "spio-model 2\n") != "");
    CHECK(refusal(0, "spio-model 33\n") != "");
}
