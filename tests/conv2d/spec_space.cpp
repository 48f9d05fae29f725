// The configurations of a convolution that fit, and the times that are estimated for them.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// spec is what a kernel is compiled from: its text for a problem, a configuration and an
// architecture. A body is one of several kernel templates for a pass, such as tma. A family is the
// kernels of one operation.
#include <doctest/doctest.h>

#include <array>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <variant>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {
// Whether an SM has the registers that the threads of `blocks` blocks are estimated to need.
template <class Config>
bool has_registers(conv2d::problem const& problem, Config const& config, arch arch) {
    int const registers = config.registers(problem);
    return registers < 256 &&
           registers * config.threads(problem) * config.blocks <= chip_of(arch).sm_registers;
}
// Whether an SM holds the threads of the blocks that the configuration asks for.
bool has_threads(conv2d::problem const& problem, conv2d::config const& config, arch arch) {
    auto const threads = [&](auto const& body) {
        int blocks = 1; // of wgrad_tma, whose configurations do not ask for any
        if constexpr (requires { body.blocks; }) blocks = body.blocks;
        return body.threads(problem) * blocks;
    };
    return arch.is_host || std::visit(threads, config) <= chip_of(arch).sm_threads;
}
} // namespace

TEST_CASE("every problem has configurations that fit, the best one first") {
    std::mt19937 random(5);
    auto const uniform = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::size_t problems = 0, configs = 0;
    for (; problems < 24; ++problems) {
        conv2d::problem problem = {.n = uniform(1, 256),
                                   .c = 8 * uniform(1, 256),
                                   .h = uniform(7, 80),
                                   .w = uniform(7, 80)};
        problem.r = uniform(1, 7);
        problem.s = uniform(1, 7);
        problem.pad_h = uniform(0, 9);
        problem.pad_w = uniform(0, 9);
        problem.pass = static_cast<conv2d::direction>(problems % 3);
        problem.stride_h = uniform(1, 2);
        problem.stride_w = uniform(1, 2);
        problem.dilation_h = uniform(1, 2);
        problem.dilation_w = uniform(1, 2);
        if (problem.pass != conv2d::direction::wgrad) {
            problem.activation = static_cast<conv2d::activation>(uniform(0, 3));
        }
        problem.residual = problem.pass == conv2d::direction::fprop && uniform(0, 1) == 1;
        problem.h += problem.extent_h();
        problem.w += problem.extent_w();
        for (arch const arch : {sm_80, sm_86, sm_89, sm_90a, compute_80, host_arch}) {
            CAPTURE(text_of(arch));
            auto const candidates = conv2d::space(problem, arch);
            REQUIRE(!candidates.empty());
            double previous = 0;
            for (auto const& config : candidates) {
                auto const expected = conv2d::explain(problem, config, arch);
                // The first may be a measured configuration; the others are sorted by estimated
                // time.
                REQUIRE(expected.microseconds >= previous);
                if (&config != &candidates.front()) previous = expected.microseconds;
                REQUIRE(expected.blocks_per_sm > 0);
                REQUIRE(expected.blocks_per_sm <= chip_of(arch).sm_blocks);
                REQUIRE(has_threads(problem, config, arch));
                // The compiler need not put registers into local memory.
                auto const* const cp_async = std::get_if<conv2d::cp_async::config>(&config);
                REQUIRE((cp_async == nullptr || has_registers(problem, *cp_async, arch)));
                auto const* const tma = std::get_if<conv2d::tma::config>(&config);
                REQUIRE((tma == nullptr || has_registers(problem, *tma, arch)));
                auto const words = conv2d::config_text(config);
                REQUIRE(conv2d::config_text(conv2d::parse_config(words)) == words);
            }
            auto const chosen = conv2d::best_config(problem, arch);
            REQUIRE(has_threads(problem, chosen, arch));
            auto const specs = conv2d::specs_of(problem, chosen, arch);
            REQUIRE(specs.size() == (problem.pass == conv2d::direction::wgrad ? 2 : 1));
            if (conv2d::choose(problem, arch).origin == config_origin::family) {
                auto const own = conv2d::family_choice(problem, arch);
                REQUIRE(own.has_value());
                REQUIRE(specs[0].config == conv2d::config_text(*own));
            }
            configs += candidates.size();
        }
    }
    std::cout << "summary: spec.conv2d: " << problems << " problems on 6 architectures, " << configs
              << " configurations\n";
}

TEST_CASE("where no model chooses, the family's choice of wgrad has its warps and its groups") {
    auto const problem = parse<conv2d::problem>(
        "conv2d", "n=100000 c=32 h=14 w=14 r=5 s=5 pad_h=2 pad_w=2 pass=wgrad");
    auto const own = conv2d::family_choice(problem, sm_90a);
    REQUIRE(own.has_value());
    auto const chosen = conv2d::choose(problem, sm_90a);
    CHECK(chosen.origin == config_origin::family);
    CHECK(conv2d::config_text(chosen.config) == conv2d::config_text(*own));
    CHECK(std::get<conv2d::wgrad_tma::config>(*own).parts == 2);
    auto const first = conv2d::space(problem, sm_90a).front();
    CHECK(std::get<conv2d::wgrad_tma::config>(first).parts == 1);
}

// These kernels had local memory: 40 registers are too few for tiles of two images, and too few or
// just enough for those that read or write a second tensor.
TEST_CASE("no configuration asks for so many blocks on an SM that registers go to local memory") {
    // The most blocks that an SM with 65536 registers should hold.
    auto const most_blocks = [](std::string_view words, conv2d::cp_async::config const& config) {
        return config.most_blocks(parse<conv2d::problem>("conv2d", words), /*sm_registers=*/65536);
    };
    conv2d::cp_async::config config = {.groups = 12,
                                       .images = 2,
                                       .columns = 8,
                                       .rows = 8,
                                       .mma_tiles = 1,
                                       .stages = 4,
                                       .blocks = 4};
    CHECK(most_blocks("n=64 c=96 h=112 w=112 stride_h=2 stride_w=2", config) == 3);
    config.images = 1;
    config.columns = 16;
    CHECK(most_blocks("n=64 c=96 h=112 w=112 stride_h=2 stride_w=2", config) == 4);
    config.groups = 4;
    std::string const small = "n=64 c=64 h=20 w=20 stride_h=2 stride_w=2 bias=true";
    CHECK(most_blocks(small, config) == 12);
    CHECK(most_blocks(small + " activation=silu preactivation=true", config) == 10);
}

TEST_CASE("boxes of the output divide the rows of a tile, and have 4 to 8 with 10 to 25 taps") {
    conv2d::problem problem = {.n = 2, .c = 64, .h = 80, .w = 80};
    auto const with_rows = [](int rows) {
        return conv2d::tma::config{.groups = 4,
                                   .images = 1,
                                   .columns = 16,
                                   .rows = rows,
                                   .tiles_per_block = 1,
                                   .blocks = 0};
    };
    for (int const side : {3, 5, 7}) {
        problem.r = problem.s = side;
        problem.pad_h = problem.pad_w = side / 2;
        for (int rows = 1; rows <= 64; ++rows) {
            auto const config = with_rows(rows);
            int const box_rows = config.output_box_rows(problem);
            CHECK(rows % box_rows == 0);
            CHECK((box_rows == rows || (side == 5 && rows > 8 && box_rows >= 4 && box_rows <= 8)));
            CHECK(conv2d::tma::output_plan(problem, config).box[2] == box_rows);
        }
        CHECK(with_rows(28).output_box_rows(problem) == (side == 5 ? 7 : 28));
    }
    problem.r = problem.s = 5;
    problem.residual = true; // its box is that of the output
    CHECK(with_rows(28).output_box_rows(problem) == 28);
}

TEST_CASE("a configuration of an unknown body, or without a field, is refused") {
    CHECK_THROWS_WITH(conv2d::parse_config("squares groups=8"),
                      doctest::Contains("the body is squares, but must be cp_async, tma, "));
    CHECK_THROWS_WITH(conv2d::parse_config("tma groups=8"), doctest::Contains("images is missing"));
}

namespace {
conv2d::problem five_by_five(int n, int c, int side) {
    return {.n = n, .c = c, .h = side, .w = side, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2};
}
} // namespace

TEST_CASE("on sm_90a the estimate chooses the tma body, and is within 15 % of the measured time") {
    struct measurement {
        conv2d::problem problem;
        double microseconds; // of fprop on an H200, with a cold cache
    };
    measurement const layers[] = {{{.n = 256, .c = 64, .h = 64, .w = 64}, 66.7},
                                  {{.n = 32, .c = 64, .h = 64, .w = 64}, 10.6},
                                  {{.n = 128, .c = 1024, .h = 16, .w = 16}, 34.8},
                                  {{.n = 64, .c = 128, .h = 56, .w = 56, .bias = true}, 27.4},
                                  {five_by_five(128, 288, 32), 43.9},
                                  {five_by_five(32, 384, 56), 46.2},
                                  {five_by_five(256, 1152, 7), 19.7}};
    for (auto const& [problem, microseconds] : layers) {
        auto const config = conv2d::space(problem, sm_90a).front();
        CHECK(conv2d::config_text(config) == conv2d::config_text(conv2d::best_tma(problem)));
        double const expected = conv2d::explain(problem, config, sm_90a).microseconds;
        CAPTURE(conv2d::config_text(config));
        CAPTURE(conv2d::explain(problem, config, sm_90a).explained());
        CHECK(expected == doctest::Approx(microseconds).epsilon(0.15));
        CHECK(!conv2d::needs_maps(conv2d::best_config(problem, sm_80)));
    }
    // With 8 channels, a pixel has 16 bytes, for which the TMA engine is too slow.
    conv2d::problem const narrow = {.n = 32, .c = 8, .h = 128, .w = 128};
    CHECK(!conv2d::needs_maps(conv2d::space(narrow, sm_90a).front()));
}

TEST_CASE("an estimate explains its bytes and its time of traffic") {
    auto const problem = parse<conv2d::problem>("conv2d", "n=256 c=64 h=64 w=64");
    auto const expected = conv2d::explain(problem, conv2d::best_config(problem, sm_90a), sm_90a);
    // 2 bytes for each element of x and y, which have the same size, and of the filter.
    CHECK(expected.bytes == 2.0 * 2 * 256 * 64 * 64 * 64 + 2 * 64 * 8 * 9);
    CHECK(expected.microseconds > expected.traffic);
    CHECK(expected.explained().find(" us: 268.4 MB, traffic ") != std::string::npos);
}
