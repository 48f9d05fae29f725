// Which configurations and arguments of matrix products fit the alignment of a problem.
// SPDX-License-Identifier: Apache-2.0
//
// The alignment is the number of bytes of which addresses and lines of matrices are multiples. A
// body is a kernel template: cp_async for any alignment, wgmma with TMA for 16 bytes. A split is a
// block's part of k, where several blocks, a cluster, share the sums of a tile.
#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>

import spio.matmul;
import spio.spec;

using namespace spio;
using matmul::body;
using matmul::problem;

TEST_CASE("the alignment of a matrix product is a power of two up to 16") {
    for (int alignment = 0; alignment <= 20; ++alignment) {
        problem const p = {.m = 64, .n = 64, .k = 64, .alignment = alignment};
        bool const is_power = alignment == 2 || alignment == 4 || alignment == 8 || alignment == 16;
        CAPTURE(alignment);
        if (is_power) {
            CHECK_NOTHROW(matmul::check(p));
        } else {
            CHECK_THROWS_AS(matmul::check(p), error);
        }
    }
}

TEST_CASE("only the body cp_async takes an alignment below 16") {
    for (int const alignment : {2, 4, 8, 16}) {
        problem const p = {.m = 512, .n = 512, .k = 4096, .alignment = alignment};
        CAPTURE(alignment);
        CHECK(matmul::space(p, sm_90a, body::wgmma).empty() == (alignment < 16));
        CHECK(!matmul::space(p, sm_90a, body::cp_async).empty());
        CHECK(std::holds_alternative<matmul::wgmma::config>(matmul::best_config(p, sm_90a)) ==
              (alignment == 16));
    }
}

// Of the splits that are chosen, the fewer the more tiles of the result there are.
TEST_CASE("few tiles and a long k are split, and many tiles are not") {
    auto const splits_of = [](int m, int n, int k) {
        auto const config = matmul::best_config({.m = m, .n = n, .k = k}, sm_90a);
        return std::get<matmul::wgmma::config>(config).splits;
    };
    CHECK(splits_of(64, 64, 8192) == 8);
    int last = 8;
    for (int side = 64; side <= 8192; side *= 2) {
        int const splits = splits_of(side, side, 8192);
        CAPTURE(side);
        CHECK(splits <= last);
        last = splits;
    }
    CHECK(last == 1);
    for (int k = 1; k < 256; ++k) CHECK(splits_of(64, 64, k) == 1);
}

// A grid of more clusters than run at once would wait for the first ones.
TEST_CASE("the grid of a split product has as many clusters as run at once") {
    for (int splits = 1; splits <= 8; splits *= 2) {
        matmul::wgmma::config const config = {.m = 64,
                                              .n = 128,
                                              .stages = 4,
                                              .buffers = 2,
                                              .cluster_m = 1,
                                              .cluster_n = 1,
                                              .band = 8,
                                              .splits = splits};
        int const clusters = matmul::concurrent_clusters(config, sm_90a);
        CAPTURE(splits);
        CHECK(clusters * splits <= 132); // the SMs of an H200
        CHECK(matmul::grid({8192, 8192, 4096, 1}, config, sm_90a).x == clusters * splits);
        CHECK(matmul::grid({64, 128, 4096, 1}, config, sm_90a).x == splits);
    }
}

TEST_CASE("arguments of a matrix product are as aligned as the problem says") {
    alignas(16) std::array<std::byte, 64> memory = {};
    for (int const alignment : {2, 4, 8, 16}) {
        problem const p = {.m = 8, .n = 8, .k = 8, .alignment = alignment};
        auto const accepts = [&](std::size_t offset, long long leading) {
            matmul::args const args = {.sizes = {8, 8, 8, 1},
                                       .a = {memory.data() + offset, leading},
                                       .b = {memory.data(), 8},
                                       .d = {memory.data(), 8}};
            try {
                matmul::check(p, args);
                return true;
            } catch (error const&) {
                return false;
            }
        };
        for (int elements = 0; elements < 16; ++elements) {
            CAPTURE(alignment);
            CAPTURE(elements);
            bool const is_multiple = 2 * elements % alignment == 0;
            CHECK(accepts(static_cast<std::size_t>(2 * elements), 8) == is_multiple);
            CHECK(accepts(0, 8 + elements) == is_multiple);
        }
    }
}

TEST_CASE("a launch of a matrix product has positive sizes, and those that the kernel knows") {
    alignas(16) std::array<std::byte, 64> memory = {};
    problem const known = {.m = 8, .n = 16, .k = 24, .batch = 2};
    problem any = known;
    any.made_for = matmul::known_sizes::none;
    for (bool const is_known : {false, true}) {
        problem const& p = is_known ? known : any;
        for (int const changed : {0, 1, 2, 3}) {
            for (int const size : {-8, 0, 8, 16, 24}) {
                int sizes[] = {8, 16, 24, 2};
                bool const is_usual = size == sizes[changed];
                sizes[changed] = size;
                matmul::args const args = {.sizes = {sizes[0], sizes[1], sizes[2], sizes[3]},
                                           .a = {memory.data(), 64, 64},
                                           .b = {memory.data(), 64, 64},
                                           .d = {memory.data(), 64, 64}};
                bool is_accepted = true;
                try {
                    matmul::check(p, args);
                } catch (error const& e) {
                    is_accepted = false;
                    CHECK(e.reason().starts_with("the launch has other sizes: "));
                }
                CAPTURE(is_known);
                CAPTURE(changed);
                CAPTURE(size);
                CHECK(is_accepted == (size > 0 && (!is_known || is_usual || changed == 3)));
            }
        }
    }
}
