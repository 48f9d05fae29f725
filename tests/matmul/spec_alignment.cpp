// Which configurations and arguments of matrix products fit the alignment of a problem.
// SPDX-License-Identifier: Apache-2.0
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

// 64 steps along k and 16 tiles of 128 x 128: blocks of a cluster could share the sums.
TEST_CASE("splits are offered for a trial, and not chosen") {
    problem const p = {.m = 512, .n = 512, .k = 4096};
    auto const has_splits = [](matmul::config const& config) {
        auto const* const wgmma = std::get_if<matmul::wgmma::config>(&config);
        return wgmma != nullptr && wgmma->splits > 1;
    };
    CHECK(std::ranges::any_of(matmul::space(p, sm_90a, body::wgmma), has_splits));
    CHECK(std::ranges::none_of(matmul::space(p, sm_90a), has_splits));
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
