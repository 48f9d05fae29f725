// fprop and dgrad whose tiles are copied row by row: when they can be, and what a sweep lists.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad the gradient of its input. Channels are in groups of 8; a tile
// is some rows and columns of the output of an image, and a block computes some groups of a tile. A
// sweep measures configurations from candidates().
#include <doctest/doctest.h>

#include "conv2d/tma.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

using conv2d::tma::config;

conv2d::problem problem_of(std::string_view words) {
    return parse<conv2d::problem>("conv2d", words);
}
// The configurations by TMA that a sweep measures.
std::vector<config> swept(conv2d::problem const& problem) {
    std::vector<config> configs;
    for (auto const& each : conv2d::candidates(problem, sm_90a)) {
        auto const* const tma = std::get_if<config>(&each.config);
        if (tma != nullptr) configs.push_back(*tma);
    }
    return configs;
}
bool has_whole_rows(config const& config) { return config.whole_rows; }

} // namespace

TEST_CASE("a sweep of fprop and dgrad lists blocks that copy rows, which leave threads registers") {
    for (std::string const pass : {"fprop", "dgrad"}) {
        for (std::string const taps : {"3", "5", "7"}) {
            for (std::string const channels :
                 {"8", "16", "24", "40", "56", "72", "88", "104", "120"}) {
                std::string const pad = std::to_string((taps[0] - '1') / 2);
                auto const problem =
                    problem_of("n=64 h=28 w=28 made_for=any_n c=" + channels + " r=" + taps +
                               " s=" + taps + " pad_h=" + pad + " pad_w=" + pad + " pass=" + pass);
                CAPTURE(text_of(problem));
                auto const configs = swept(problem);
                CHECK(std::ranges::count_if(configs, has_whole_rows) >= 4);
                for (auto const& each : configs) {
                    CHECK(each.fits(problem));
                    CHECK(each.blocks * each.threads(problem) * each.registers(problem) <=
                          chip_of(sm_90a).sm_registers);
                }
            }
        }
    }
    // Of more groups a block has a part, lines of 64 bytes are for boxes, and so are seven columns.
    for (std::string const words :
         {"n=64 h=28 w=28 c=136", "n=64 h=28 w=28 c=32", "n=64 h=28 w=28 c=72 made_for=any_image",
          "n=64 h=28 w=28 c=72 residual=true", "n=64 h=7 w=7 c=72"}) {
        CAPTURE(words);
        CHECK(std::ranges::none_of(swept(problem_of(words)), has_whole_rows));
    }
}

TEST_CASE("a sweep of fprop and dgrad lists boxes of all columns of two groups") {
    auto const is_wide = [](config const& config) {
        return config.columns == 112 && config.groups == 2 && !config.whole_rows;
    };
    CHECK(std::ranges::any_of(swept(problem_of("n=64 c=16 h=112 w=112")), is_wide));
    CHECK(std::ranges::any_of(swept(problem_of("n=64 c=16 h=9 w=100 pass=dgrad")), is_wide));
    CHECK(std::ranges::none_of(swept(problem_of("n=64 c=32 h=112 w=112")), is_wide));
}

TEST_CASE(
    "a sweep of fprop and dgrad lists boxes of 16 columns of all of an odd number of groups") {
    auto const has_odd_boxes = [](std::string_view words) {
        auto const problem = problem_of(words);
        return std::ranges::any_of(swept(problem), [&](config const& config) {
            bool const has_all = config.groups == problem.groups() && config.groups > 1;
            return has_all && config.groups % 2 == 1 && config.columns == 16 && !config.whole_rows;
        });
    };
    CHECK(has_odd_boxes("n=64 c=40 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2"));
    CHECK(has_odd_boxes("n=64 c=72 h=56 w=56 pass=dgrad"));
    CHECK(!has_odd_boxes("n=64 c=72 h=7 w=7"));
    CHECK(!has_odd_boxes("n=64 c=136 h=28 w=28"));
    CHECK(!has_odd_boxes("n=64 c=24 h=28 w=28"));
    CHECK(!has_odd_boxes("n=64 c=120 h=28 w=28"));
    CHECK(!has_odd_boxes("n=64 c=72 h=28 w=28 r=7 s=7 pad_h=3 pad_w=3"));
    CHECK(!has_odd_boxes("n=64 c=72 h=56 w=56 stride_h=2 stride_w=2"));
}

TEST_CASE("rows are copied by blocks with all channels, of one image, without a second tensor") {
    config const nine = {.groups = 9,
                         .images = 1,
                         .columns = 16,
                         .rows = 7,
                         .tiles_per_block = 1,
                         .blocks = 2,
                         .whole_rows = true};
    // Whether rows are copied, where boxes are in any case.
    auto const copies = [](std::string_view words, config boxes) {
        auto const problem = problem_of(words);
        bool const fits = boxes.fits(problem);
        boxes.whole_rows = false;
        REQUIRE(boxes.fits(problem));
        return fits;
    };
    CHECK(copies("n=4 h=28 w=28 c=72", nine));
    CHECK(copies("n=4 h=28 w=28 c=72 pass=dgrad made_for=any_n activation=none", nine));
    CHECK(copies("n=4 h=28 w=28 c=72 bias=true activation=silu scale=true", nine));
    CHECK(copies("n=4 h=28 w=28 c=72 stride_h=2 stride_w=2", nine));
    CHECK(copies("n=4 h=28 w=28 c=72 dilation_h=2 pad_h=9", nine));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=80", nine));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72 made_for=any_image", nine));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72 residual=true", nine));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72 activation=silu preactivation=true", nine));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72 pass=dgrad activation=silu", nine));
    auto two_images = nine;
    two_images.images = 2;
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72", two_images));
    auto strided = nine;
    strided.columns = 32;
    strided.rows = 8;
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72 stride_h=2 stride_w=2 pass=dgrad", strided));
    auto pair = nine;
    pair.groups = 2;
    CHECK(copies("n=4 h=28 w=28 c=16", pair));
    auto four = nine;
    four.groups = 4;
    CHECK_FALSE(copies("n=4 h=28 w=28 c=32", four));
    // An even number of groups is a power of two, and a block has at most 15.
    auto six = nine;
    six.whole_rows = false;
    six.groups = 6;
    CHECK_FALSE(six.fits(problem_of("n=4 h=28 w=28 c=48")));
    six.groups = 17;
    CHECK_FALSE(six.fits(problem_of("n=4 h=28 w=28 c=136")));
}

TEST_CASE(
    "texts name whole rows where a configuration has them, and without the name it has none") {
    std::string const boxes = "tma groups=9 images=1 columns=16 rows=7 tiles_per_block=1 blocks=2";
    CHECK(conv2d::config_text(conv2d::parse_config(boxes)) == boxes);
    CHECK(conv2d::config_text(conv2d::parse_config(boxes + " whole_rows=false")) == boxes);
    std::string const rows = boxes + " whole_rows=true";
    CHECK(std::get<config>(conv2d::parse_config(rows)).whole_rows);
    CHECK(conv2d::config_text(conv2d::parse_config(rows)) == rows);
    // The kernel of boxes has the text that it had.
    auto const arguments = [](std::string_view config) {
        auto const problem = problem_of("n=4 h=28 w=28 c=72");
        return conv2d::specs_of(problem, conv2d::parse_config(config), sm_90a)[0].source;
    };
    CHECK(arguments(boxes).find("whole_rows") == std::string::npos);
    CHECK(arguments(rows).find(".whole_rows = true") != std::string::npos);
}
