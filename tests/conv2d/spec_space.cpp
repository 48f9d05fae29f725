// Configurations of convolutions: which are worth a trial, and how long they are estimated to take.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

import spio.conv2d;
import spio.spec;

using namespace spio;

TEST_CASE("every problem has configurations that fit, the best one first") {
    std::mt19937 random(5);
    auto const between = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::size_t problems = 0, configs = 0;
    for (; problems < 200; ++problems) {
        conv2d::problem of = {.n = between(1, 256),
                              .c = 8 * between(1, 256),
                              .h = between(7, 80),
                              .w = between(7, 80)};
        of.r = between(1, 7);
        of.s = between(1, 7);
        of.pad_h = between(0, 9);
        of.pad_w = between(0, 9);
        of.pass = static_cast<conv2d::direction>(problems % 3);
        for (arch const arch : {sm_80, sm_86, sm_90a, compute_80, host_arch}) {
            CAPTURE(text_of(arch));
            auto const all = conv2d::space(of, arch);
            REQUIRE(!all.empty());
            double before = 0;
            for (auto const& by : all) {
                auto const expected = conv2d::explain(of, by, arch);
                // The first may be one that was measured.
                REQUIRE(expected.microseconds >= before);
                if (&by != &all.front()) before = expected.microseconds;
                REQUIRE(expected.blocks_per_sm > 0);
                auto const words = conv2d::config_text(by);
                REQUIRE(conv2d::config_text(conv2d::parse_config(words)) == words);
            }
            auto const specs = conv2d::specs_of(of, conv2d::best_config(of, arch), arch);
            REQUIRE(specs.size() == (of.pass == conv2d::direction::wgrad ? 2 : 1));
            REQUIRE(specs[0].config == conv2d::config_text(all.front()));
            configs += all.size();
        }
    }
    std::cout << "figure: spec.conv2d: " << problems << " problems on 5 architectures, " << configs
              << " configurations\n";
}

TEST_CASE("a configuration is of a body that there is") {
    CHECK_THROWS_WITH(conv2d::parse_config("squares groups=8"),
                      doctest::Contains("the body is squares, but must be cp_async, tma, "));
    CHECK_THROWS_WITH(conv2d::parse_config("tma groups=8"), doctest::Contains("images is missing"));
}

namespace {
conv2d::problem five_by_five(int n, int c, int side) {
    return {.n = n, .c = c, .h = side, .w = side, .r = 5, .s = 5, .pad_h = 2, .pad_w = 2};
}
} // namespace

TEST_CASE("on a Hopper chip boxes are chosen, and last about as long as they were measured to") {
    struct measured {
        conv2d::problem of;
        double microseconds; // of fprop on an H200, with a cold cache
    };
    measured const layers[] = {{{.n = 256, .c = 64, .h = 64, .w = 64}, 66.7},
                               {{.n = 32, .c = 64, .h = 64, .w = 64}, 10.6},
                               {{.n = 128, .c = 1024, .h = 16, .w = 16}, 34.8},
                               {{.n = 64, .c = 128, .h = 56, .w = 56, .bias = true}, 27.4},
                               {five_by_five(128, 288, 32), 43.9},
                               {five_by_five(32, 384, 56), 46.2},
                               {five_by_five(256, 1152, 7), 19.7}};
    for (auto const& [of, microseconds] : layers) {
        auto const by = conv2d::best_config(of, sm_90a);
        CHECK(conv2d::config_text(by) == conv2d::config_text(conv2d::best_tma(of)));
        double const expected = conv2d::explain(of, by, sm_90a).microseconds;
        CAPTURE(conv2d::config_text(by));
        CAPTURE(conv2d::explain(of, by, sm_90a).explained());
        CHECK(expected == doctest::Approx(microseconds).epsilon(0.15));
        CHECK(!conv2d::needs_maps(conv2d::best_config(of, sm_80)));
    }
    // Where a pixel has few channels the engine is too slow.
    conv2d::problem const narrow = {.n = 32, .c = 8, .h = 128, .w = 128};
    CHECK(!conv2d::needs_maps(conv2d::best_config(narrow, sm_90a)));
}

TEST_CASE("an estimate tells what it comes of") {
    auto const of = parse<conv2d::problem>("conv2d", "n=256 c=64 h=64 w=64");
    auto const expected = conv2d::explain(of, conv2d::best_config(of, sm_90a), sm_90a);
    CHECK(expected.bytes == 2.0 * 2 * 256 * 64 * 64 * 64 + 2 * 64 * 8 * 9);
    CHECK(expected.microseconds > expected.traffic);
    CHECK(expected.explained().find(" us: 268.4 MB, traffic ") != std::string::npos);
}
