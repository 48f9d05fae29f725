// Tables of trees: what their reader accepts, and the values that they give.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees: each node compares a feature with a threshold,
// each leaf has a value, and the values of all trees are added to `base`. The file is text; numbers
// are bits of floats in hexadecimal digits.
#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

import spio.error;
import spio.model;

using spio::model::forest;

namespace {

std::string const head = "spio-model 1\nname a test\nchip H200\nsource nowhere\nbase 3f800000\n"
                         "feature width 00000000 41200000\nfeature height c0000000 40000000\n";
std::string const trees = "tree 0,40a00000,2 =3f000000 =40000000\n"
                          "tree 1,00000000,4 0,3f800000,3 =bf000000 =3e800000 =40400000\n";

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

std::string digits(float value) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", std::bit_cast<std::uint32_t>(value));
    return text;
}

// A tree as nodes that own their children, which is evaluated the plain way.
struct plain_node {
    unsigned feature = 0;
    float number = 0; // the threshold, or the value of a leaf
    std::unique_ptr<plain_node> left = {}, right = {};

    float value(std::span<float const> row) const {
        if (!left) return number;
        return (row[feature] < number ? left : right)->value(row);
    }
    std::size_t count() const { return left ? 1 + left->count() + right->count() : 1; }
    // The nodes in preorder; the first has this number.
    std::string text(std::size_t place) const {
        if (!left) return " =" + digits(number);
        auto const second = place + 1 + left->count();
        return " " + std::to_string(feature) + "," + digits(number) + "," + std::to_string(second) +
               left->text(place + 1) + right->text(second);
    }
};

class drawing {
  public:
    explicit drawing(unsigned seed) : random(seed) {}

    // Few values, so that features often equal thresholds.
    float number() { return static_cast<float>(static_cast<int>(random() % 33) - 16) / 4; }
    std::unique_ptr<plain_node> tree(unsigned features, unsigned depth) {
        auto node = std::make_unique<plain_node>();
        node->number = number();
        if (depth > 0 && random() % 5 != 0) {
            node->feature = static_cast<unsigned>(random() % features);
            node->left = tree(features, depth - 1);
            node->right = tree(features, depth - 1);
        }
        return node;
    }
    unsigned below(unsigned end) { return static_cast<unsigned>(random() % end); }

  private:
    std::mt19937 random;
};

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
        std::string text = "spio-model 1\nname n\nchip c\nsource s\nbase 3dcccccd\n";
        for (unsigned i = 0; i < features; ++i) {
            text += "feature f" + std::to_string(i) + " c0800000 40800000\n";
        }
        std::vector<std::unique_ptr<plain_node>> plain;
        for (unsigned i = 0; i < 1 + draw.below(20); ++i) {
            plain.push_back(draw.tree(features, draw.below(8)));
            text += "tree" + plain.back()->text(0) + "\n";
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
        std::string text = "spio-model 1\nname n\nchip c\nsource s\nbase 3dcccccd\n";
        for (unsigned i = 0; i < features; ++i) {
            text += "feature f" + std::to_string(i) + " c0800000 40800000\n";
        }
        // The first tree is worth more than all others together.
        text += "tree 0,00000000,2 =c4800000 =44800000\n";
        for (unsigned i = 0; i < 16; ++i) text += "tree" + draw.tree(features, 3)->text(0) + "\n";
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
                if (count <= 4) REQUIRE(is_after);
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

TEST_CASE("what is outside the trained range is told, with a margin of a sixteenth") {
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
    CHECK(!refusal(std::string(forest::most_bytes, '#') + "\n").empty());
}

TEST_CASE("a tree must be one: bounded, finite, each node the child of one other") {
    CHECK(refusal_of_tree("=3f000000").empty());
    CHECK(refusal_of_tree("0,40a00000,2 =3f000000 =40000000").empty());
    for (auto const* nodes : {"",
                              "=",
                              "=7f800000",
                              "=7fc00000",
                              "=3f0",
                              "=3f0000000",
                              "=3f00000g",
                              "=+f000000",
                              "0,40a00000,2 =3f000000",
                              "0,40a00000,2 =3f000000 =40000000 =40000000",
                              "2,40a00000,2 =3f000000 =40000000",
                              "-1,40a00000,2 =3f000000 =40000000",
                              "0,7f800000,2 =3f000000 =40000000",
                              "0,40a00000,0 =3f000000 =40000000",
                              "0,40a00000,1 =3f000000 =40000000",
                              "0,40a00000,3 =3f000000 =40000000",
                              "0,40a00000,65536 =3f000000 =40000000",
                              "0,40a00000 =3f000000 =40000000",
                              "0 =3f000000 =40000000",
                              "0,40a00000,2  =3f000000 =40000000",
                              "0,,2 =3f000000 =40000000",
                              "0,40a00000,99999999999999999999 =3f000000 =40000000",
                              "1,00000000,5 0,3f800000,3 =bf000000 =3e800000 =40400000"}) {
        CAPTURE(nodes);
        CHECK(!refusal_of_tree(nodes).empty());
    }
}

TEST_CASE("a tree may be so deep, and all trees together so large") {
    // A tree whose leaves are all to the left of their parents.
    auto const chain = [](std::size_t depth) {
        std::string text;
        for (std::size_t i = 0; i < depth; ++i) {
            text += "0,40a00000," + std::to_string(2 * depth - i) + " ";
        }
        for (std::size_t i = 0; i <= depth; ++i) text += i == 0 ? "=3f000000" : " =3f000000";
        return text;
    };
    CHECK(refusal_of_tree(chain(forest::most_depth)).empty());
    CHECK(refusal_of_tree(chain(forest::most_depth + 1)).find("deeper than") != std::string::npos);
    std::string shallow;
    for (std::size_t i = 0; i < forest::most_places >> forest::most_depth; ++i) {
        shallow += "tree =3f000000\n";
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
