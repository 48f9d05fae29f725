// The products that are measured: squares, layers of networks, and random shapes.
// SPDX-License-Identifier: Apache-2.0
//
// A product has m rows, n columns, and sums over k. Weights are those of a layer of a network.
#pragma once

#include "matmul/problem.h"

#include <cmath>
#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace spio::bench {

// A problem to measure, by its name in tables.
struct shape {
    std::string name;
    matmul::problem problem;
};

// b is a matrix of weights with a row for each column of the result, as a linear layer has it.
inline matmul::problem product_of(int m, int n, int k) {
    return {.m = m, .n = n, .k = k, .b = matmul::order::columns};
}
inline std::string sizes_text(matmul::problem const& p) {
    return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
}

inline std::vector<shape> squares() {
    std::vector<shape> shapes;
    for (int size = 1024; size <= 8192; size += 1024) {
        shapes.push_back({std::to_string(size), product_of(size, size, size)});
    }
    shapes.push_back({"8192x1024x1024", product_of(8192, 1024, 1024)});
    shapes.push_back({"8192x4096x1024", product_of(8192, 4096, 1024)});
    return shapes;
}

// m is the number of tokens, or of pixels, n the outputs of a layer and k its inputs.
inline std::vector<shape> layers() {
    return {
        {"Llama 3 8B, query key value, 2048 tokens", product_of(2048, 6144, 4096)},
        {"Llama 3 8B, attention output, 2048 tokens", product_of(2048, 4096, 4096)},
        {"Llama 3 8B, gate and up, 2048 tokens", product_of(2048, 28672, 4096)},
        {"Llama 3 8B, down, 2048 tokens", product_of(2048, 4096, 14336)},
        {"Llama 3 8B, gate and up, 256 tokens", product_of(256, 28672, 4096)},
        {"Llama 3 8B, down, 256 tokens", product_of(256, 4096, 14336)},
        {"Llama 3 8B, attention output, 16 tokens", product_of(16, 4096, 4096)},
        {"Llama 3 8B, down, 16 tokens", product_of(16, 4096, 14336)},
        {"Llama 3 8B, vocabulary, 256 tokens", product_of(256, 128256, 4096)},
        {"BERT base, query key value, 4096 tokens", product_of(4096, 2304, 768)},
        {"BERT base, up, 4096 tokens", product_of(4096, 3072, 768)},
        {"BERT base, down, 4096 tokens", product_of(4096, 768, 3072)},
        {"GPT-2, vocabulary, 1024 tokens", product_of(1024, 50304, 768)},
        {"ViT-L/16, up, 16 images", product_of(3152, 4096, 1024)},
        {"ViT-L/16, down, 16 images", product_of(3152, 1024, 4096)},
        {"ResNet-50, 56 x 56, 64 to 256, 32 images", product_of(100352, 256, 64)},
        {"ResNet-50, 28 x 28, 512 to 128, 32 images", product_of(25088, 128, 512)},
        {"ResNet-50, 14 x 14, 256 to 1024, 32 images", product_of(6272, 1024, 256)},
        {"ResNet-50, 7 x 7, 2048 to 512, 32 images", product_of(1568, 512, 2048)},
        {"ResNet-50, classes, 128 images", product_of(128, 1000, 2048)},
    };
}

// Sizes whose logarithms are uniform: m from 16 to 8192, n and k from 64 to 8192. n and k are
// multiples of 8, as TMA takes them.
inline std::vector<shape> random_shapes(unsigned seed, int count) {
    std::mt19937 random(seed);
    auto const drawn = [&](double least, double most) {
        double const share = static_cast<double>(random()) / 0x1p32;
        return static_cast<int>(std::lround(least * std::pow(most / least, share)));
    };
    std::vector<shape> shapes;
    for (int i = 0; i < count; ++i) {
        int const m = drawn(16, 8192), n = drawn(64, 8192), k = drawn(64, 8192);
        auto const problem = product_of(m, (n + 7) / 8 * 8, (k + 7) / 8 * 8);
        shapes.push_back({sizes_text(problem), problem});
    }
    return shapes;
}

// Wider draws, to train models on: every second shape has multiples of 64. Products of more than
// 1.2e12 operations would take most of the time, and are left out.
inline std::vector<shape> training_shapes(unsigned seed, int count) {
    std::mt19937 random(seed);
    auto const drawn = [&](double most, int unit) {
        double const share = static_cast<double>(random()) / 0x1p32;
        auto const size = static_cast<int>(std::lround(16 * std::pow(most / 16, share)));
        return (size + unit - 1) / unit * unit;
    };
    std::vector<shape> shapes;
    while (std::ssize(shapes) < count) {
        bool const is_round = shapes.size() % 2 == 1;
        int const m = drawn(16384, is_round ? 16 : 1), n = drawn(32768, is_round ? 64 : 8);
        int const k = drawn(16384, is_round ? 64 : 8);
        if (2.0 * m * n * k > 1.2e12) continue;
        shapes.push_back({sizes_text(product_of(m, n, k)), product_of(m, n, k)});
    }
    return shapes;
}

// A list of shapes by its name, or the shape of m x n x k ("64x128x512"); empty if there is none.
// The seed and count are for those drawn.
inline std::vector<shape> shapes_named(std::string_view name, unsigned seed, int count) {
    if (name == "squares") return squares();
    if (name == "layers") return layers();
    if (name == "random") return random_shapes(seed, count);
    if (name == "training") return training_shapes(seed, count);
    int m = 0, n = 0, k = 0;
    if (std::sscanf(std::string(name).c_str(), "%dx%dx%d", &m, &n, &k) == 3) {
        return {{std::string(name), product_of(m, n, k)}};
    }
    return {};
}

} // namespace spio::bench
