// Draws trees, and writes them as the text of a table has them.
// SPDX-License-Identifier: Apache-2.0
//
// A learned model is a table of regression trees. Its text has a tree in preorder: a split is two
// digits to the base of 64, the number of a threshold among those of all features; a leaf is three
// digits, the first two of which are 3072 or more, as many splits as there may be.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <string>

// A number in so many digits.
inline std::string digits(unsigned number, unsigned count) {
    std::string text;
    while (count-- > 0) {
        text +=
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"[number >> 6 * count &
                                                                               63];
    }
    return text;
}
// A leaf of this value, from -1/2 to less than 1/2, in units of 2^-16.
inline std::string leaf(float value) {
    auto const units = static_cast<int>(std::lround(value * 65536)) + 32768;
    return digits(64 * 3072 + static_cast<unsigned>(units), 3);
}

// The features of a table, each from -4 to 4, and as thresholds all 33 numbers that a drawing
// draws.
inline std::string drawn_features(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
        text += "feature f" + std::to_string(i) + " c0800000 40800000";
        for (int number = -16; number <= 16; ++number) {
            char bits[10];
            std::snprintf(bits, sizeof bits, " %08x",
                          std::bit_cast<std::uint32_t>(static_cast<float>(number) / 4));
            text += bits;
        }
        text += "\n";
    }
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
    // The nodes in preorder, for a table that begins with drawn_features().
    std::string text() const {
        if (!left) return leaf(number);
        auto const split = 33 * feature + static_cast<unsigned>(4 * number + 16);
        return digits(split, 2) + left->text() + right->text();
    }
};

// Random numbers and trees by a seed.
class drawing {
  public:
    explicit drawing(unsigned seed) : random(seed) {}

    // Few values, so that features often equal thresholds.
    float number() { return static_cast<float>(static_cast<int>(random() % 33) - 16) / 4; }
    // Leaves are small: at most 1/64.
    std::unique_ptr<plain_node> tree(unsigned features, unsigned depth) {
        auto node = std::make_unique<plain_node>();
        node->number = number() / 256;
        if (depth > 0 && random() % 5 != 0) {
            node->number = number();
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
