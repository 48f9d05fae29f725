// Tables of trees: the values that they give.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees: each node compares a feature with a threshold,
// each leaf has a value, and the values of all trees are added. The file is text; numbers of
// features are bits of floats in hexadecimal digits, leaves are multiples of 2^-16.
#include <doctest/doctest.h>

#include "drawn_trees.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

import spio.error;
import spio.model;

#include "small_table.h"

TEST_CASE("a row takes one leaf of each tree, and a number at the threshold goes to the right") {
    auto const table = forest::parse(head + trees, "table");
    CHECK(table.name() == "a test");
    CHECK(table.chip() == "H200");
    CHECK(table.source() == "nowhere");
    REQUIRE(table.features().size() == 2);
    CHECK(table.features()[1] == "height");
    CHECK(value_of(table, {0, -1}) == 0.25f - 0.5f);
    CHECK(value_of(table, {1, -1}) == 0.25f + 0.125f);
    CHECK(value_of(table, {5, -1}) == 0.375f + 0.125f);
    CHECK(value_of(table, {5, 0}) == 0.375f + 0x1p-16f);
    CHECK(value_of(table, {std::numeric_limits<float>::quiet_NaN(), 0}) == 0.375f + 0x1p-16f);
}

TEST_CASE("random tables have the values of their trees") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        drawing draw(seed);
        unsigned const features = 1 + draw.below(6);
        std::string text = "spio-model 3\nname n\nchip c\nsource s\n";
        text += drawn_features(features);
        std::vector<std::unique_ptr<plain_node>> plain;
        for (unsigned i = 0; i < 1 + draw.below(20); ++i) {
            plain.push_back(draw.tree(features, draw.below(13)));
            text += "tree " + plain.back()->text() + "\n";
        }
        auto const table = forest::parse(text, "table");
        std::size_t const count = 1 + draw.below(30);
        std::vector<float> rows, values(count);
        for (std::size_t i = 0; i < count * features; ++i) rows.push_back(draw.number());
        table.predict(rows, values);
        for (std::size_t i = 0; i < count; ++i) {
            auto const row = std::span(rows).subspan(i * features, features);
            float sum = 0;
            for (auto const& tree : plain) sum += tree->value(row);
            REQUIRE(std::bit_cast<std::uint32_t>(values[i]) == std::bit_cast<std::uint32_t>(sum));
        }
    }
}

TEST_CASE(
    "the least row is one that the first trees favour, and later ones do not put far behind") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        drawing draw(seed);
        unsigned const features = 1 + draw.below(6);
        std::string text = "spio-model 3\nname n\nchip c\nsource s\n";
        text += drawn_features(features);
        // The first tree is worth more than all others together. Its only split, 0G or 16, is that
        // of the first feature at 0, the middle of 33 thresholds.
        text += "tree 0G" + leaf(-0.5f) + leaf(0.49f) + "\n";
        for (unsigned i = 0; i < 79; ++i)
            text += "tree " + draw.tree(features, /*depth=*/3)->text() + "\n";
        auto const table = forest::parse(text, "table");
        for (std::size_t const count : {1, 2, 3, 4, 5, 40, 100}) {
            std::vector<float> rows, values(count);
            std::vector<double> offsets;
            for (std::size_t i = 0; i < count * features; ++i) rows.push_back(draw.number());
            for (std::size_t i = 0; i < count; ++i) offsets.push_back(draw.below(3) / 16.0);
            table.predict(rows, values);
            auto const sum = [&](std::size_t i) {
                return offsets[i] + static_cast<double>(values[i]);
            };
            auto const found = table.least(rows, offsets);
            REQUIRE(found < count);
            CHECK(found == table.least(rows, offsets));
            // Joining rows fall back only after a third of the trees.
            auto const joined = table.least(rows, offsets, count);
            for (std::size_t i = 0; i < count; ++i) CHECK(sum(joined) <= sum(i) + 0.15);
            CHECK(sum(table.least(rows, offsets, 1)) <= sum(count - 1) + 0.15);
            bool is_favoured = false;
            for (std::size_t i = 0; i < count; ++i) {
                is_favoured = is_favoured || rows[i * features] < 0;
                // The sum of later trees, whose leaves are at most 1/64, is small.
                CHECK(sum(found) <= sum(i) + 0.15);
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
    CHECK_THROWS_AS(table.least(std::vector<float>(4), offsets, 3), spio::error);
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
    CHECK(table.is_inside(0, 10.6f));
    CHECK(!table.is_inside(0, 10.7f));
    CHECK(!table.is_inside(1, 2.3f));
    CHECK(outside(5, std::numeric_limits<float>::quiet_NaN()) == 1);
    CHECK_THROWS_AS(table.first_outside(std::vector{5.0f}), spio::error);
    CHECK_THROWS_AS(table.first_outside(std::vector{5.0f, 0.0f, 0.0f}), spio::error);
    CHECK_THROWS_AS(table.first_outside({}), spio::error);
}

TEST_CASE(
    "of a table with few trees, the least row has the least sum; of equal ones it is the first") {
    auto const table = forest::parse(head + trees, "table");
    // The values are -1/4, 3/8 and 1/2: of widths 0, 1 and 5, where the height is below 0.
    std::vector<float> const rows = {1, -1, 5, -1, 0, -1, 0, -1};
    auto const least = [&](std::vector<double> const& offsets) {
        return table.least(rows, offsets);
    };
    CHECK(least({0, 0, 0, 0}) == 2);
    CHECK(least({0, 0, 1, 1}) == 0);
    CHECK(least({1, 0, 1, 1}) == 1);
    CHECK(least({0, 0, 0.125, 0}) == 3);
    CHECK(least({-0.625, 0, 0, 0}) == 0);
    CHECK(least({-0.5, 0, 0, 0}) == 2);
}
