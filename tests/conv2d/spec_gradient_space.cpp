// Weight gradients: what a sweep lists and what a learned model may choose.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter. A sweep measures configurations from candidates(); a
// model chooses from those that rank() predicts. Channels are in groups of 8, and a block computes
// some groups. A step takes strips of columns of some images, an mma tile is 16 columns of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

using conv2d::wgrad_tma::config;

conv2d::problem gradient_of(std::string_view words) {
    return parse<conv2d::problem>("conv2d", std::string(words) + " pass=wgrad");
}
template <class Entry> std::vector<config> configs_by_tma(std::vector<Entry> const& entries) {
    std::vector<config> list;
    for (auto const& each : entries) {
        if (auto const* const tma = std::get_if<config>(&each.config)) list.push_back(*tma);
    }
    return list;
}
// The configurations by TMA for a layer.
std::vector<config> listed(std::string_view words) {
    return configs_by_tma(conv2d::candidates(gradient_of(words), sm_90a));
}
std::vector<config> predicted(std::string_view words) {
    return configs_by_tma(conv2d::rank(gradient_of(words), sm_90a).configs);
}

bool has_eight_of_large(config const& config) {
    return config.groups == 8 && config.mma_tiles() > 1;
}
bool has_two_parts(config const& config) { return config.parts == 2; }

} // namespace

TEST_CASE("a sweep of wgrad lists eight groups of a large filter, and two warps for each group") {
    constexpr auto layer = "n=64 c=384 h=14 w=14 r=7 s=7 pad_h=3 pad_w=3";
    CHECK(std::ranges::any_of(listed(layer), has_eight_of_large));
    CHECK(std::ranges::any_of(listed("n=64 c=384 h=14 w=14"), has_two_parts));
    // With more than two mma tiles of 7 x 7 taps they were slower.
    constexpr auto wide = "n=96 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3";
    CHECK(std::ranges::none_of(listed(wide), [](config const& config) {
        return config.parts == 2 && config.mma_tiles() > 2;
    }));
    // Where 12 groups leave warps idle, and with a bias.
    CHECK(std::ranges::none_of(listed("n=64 c=96 h=14 w=14 r=7 s=7 pad_h=3 pad_w=3"),
                               has_eight_of_large));
    CHECK(std::ranges::none_of(listed("n=64 c=384 h=14 w=14 r=7 s=7 pad_h=3 pad_w=3 bias=true"),
                               has_eight_of_large));
}

TEST_CASE("where no model chooses, eight groups of a large filter take the place of four") {
    // More images than any model was trained for.
    auto const problem = gradient_of("n=1000000 c=384 h=14 w=14 r=7 s=7 pad_h=3 pad_w=3");
    CHECK(std::get<config>(conv2d::space(problem, sm_90a).front()).groups == 4);
    auto const choice = conv2d::choose(problem, sm_90a);
    CHECK(choice.origin == config_origin::family);
    CHECK(has_eight_of_large(std::get<config>(choice.config)));
}

TEST_CASE("a sweep of wgrad lists steps of all columns where a filter has few taps") {
    auto const is_whole = [](config const& config) { return config.columns == 112; };
    CHECK(std::ranges::any_of(listed("n=64 c=16 h=112 w=112"), is_whole));
    CHECK(std::ranges::any_of(predicted("n=64 c=16 h=112 w=112"), is_whole));
    CHECK(std::ranges::none_of(listed("n=64 c=16 h=112 w=112 r=5 s=5 pad_h=2 pad_w=2"), is_whole));
}

TEST_CASE("the widest image has candidates") {
    CHECK(!listed("n=1 c=8 h=1 w=2147483640").empty());
    auto const forward = parse<conv2d::problem>("conv2d", "n=1 c=8 h=1 w=2147483640");
    CHECK(!conv2d::candidates(forward, sm_90a).empty());
}

TEST_CASE("a sweep of wgrad lists blocks that copy whole rows of images") {
    auto const counts_rows = [](std::string_view words) {
        auto const problem = gradient_of(words);
        return std::ranges::count_if(
            listed(words), [&](config const& config) { return config.copies_rows(problem); });
    };
    for (std::string_view const channels :
         {"8", "16", "24", "40", "56", "72", "88", "104", "120"}) {
        CAPTURE(channels);
        CHECK(counts_rows("n=64 h=28 w=28 made_for=any_n c=" + std::string(channels)) > 0);
    }
    // Lines of 64 bytes are for boxes; of more groups a block has a part.
    CHECK(counts_rows("n=64 h=28 w=28 c=32") == 0);
    CHECK(counts_rows("n=64 h=28 w=28 c=136") == 0);
    CHECK(counts_rows("n=64 h=28 w=28 c=72 made_for=any_image") == 0);
}

TEST_CASE("whole rows of images are copied only if no image is missing and the tile has room") {
    config const rows = {
        .groups = 9, .images = 2, .columns = 32, .stages = 4, .splits = 1, .whole_images = false};
    auto const copies = [&](std::string_view words) {
        return rows.copies_rows(gradient_of(words));
    };
    CHECK(copies("n=4 h=28 w=28 c=72"));
    CHECK_FALSE(copies("n=5 h=28 w=28 c=72"));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=72 made_for=any_n"));
    CHECK_FALSE(copies("n=4 h=28 w=28 c=80"));
    // 33 columns of y do not fit; with a stride of 2, 65 columns of x do, and with more padding
    // not.
    CHECK_FALSE(copies("n=4 h=28 w=33 c=72"));
    CHECK(copies("n=4 h=65 w=64 c=72 stride_h=2 stride_w=2"));
    CHECK_FALSE(copies("n=4 h=65 w=65 c=72 stride_w=2 s=1 pad_w=7"));
}

TEST_CASE("blocks of wgrad have twelve groups where eight would leave warps idle") {
    auto const has_twelve = [](config const& config) { return config.groups == 12; };
    auto const lists_twelve = [&](std::string_view words) {
        return std::ranges::any_of(listed(words), has_twelve) &&
               std::ranges::any_of(predicted(words), has_twelve);
    };
    constexpr auto layer = "n=256 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2";
    CHECK(lists_twelve(layer));
    CHECK(lists_twelve("n=64 c=96 h=56 w=56 r=5 s=5 pad_h=2 pad_w=2"));
    for (auto const* const words :
         {"n=64 c=96 h=56 w=56", "n=64 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3",
          "n=64 c=192 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2",
          "n=64 c=120 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2",
          "n=64 c=96 h=56 w=56 r=5 s=5 pad_h=2 pad_w=2 stride_h=2 stride_w=2"}) {
        CHECK(std::ranges::none_of(listed(words), has_twelve));
    }
    // Of twelve warps and a warpgroup more, each thread has at most 128 registers at first.
    auto const problem = gradient_of(layer);
    for (auto const& config : listed(layer)) {
        if (!has_twelve(config)) continue;
        CHECK(config.threads(problem) == 16 * 32);
        CHECK(4 * config.producer_registers + 12 * config.consumer_registers() <= 65536 / 32);
        CHECK(config.mma_tiles() <= 2);
    }
}

TEST_CASE("a thread of wgrad by cp.async copies at most 32 cells of a row") {
    int fitting = 0;
    for (std::string const words : {"n=256 c=64 h=64 w=64", "n=256 c=64 h=64 w=512 s=7 pad_w=3",
                                    "n=256 c=64 h=64 w=64 stride_w=2 dilation_w=2"}) {
        auto const problem = gradient_of(words);
        for (int images = 1; images <= 128; ++images) {
            for (int const columns : {8, 16, 64, 512}) {
                conv2d::wgrad_cp_async::config const config = {.groups = 1,
                                                               .images = images,
                                                               .columns = columns,
                                                               .stages = 2,
                                                               .splits = 1,
                                                               .blocks = 1};
                if (!config.fits(problem)) continue;
                ++fitting;
                // A block of one group has 32 threads.
                REQUIRE(config.threads(problem) == 32);
                REQUIRE((images * config.input_columns(problem) + 31) / 32 <= 32);
            }
        }
    }
    CHECK(fitting > 100);
    auto const fits = [](int images) {
        return conv2d::wgrad_cp_async::config{
            .groups = 1, .images = images, .columns = 16, .stages = 2, .splits = 1, .blocks = 1}
            .fits(gradient_of("n=256 c=64 h=64 w=64"));
    };
    CHECK(fits(56)); // 32 cells, of 18 columns an image
    CHECK(!fits(57));
}

TEST_CASE("narrower steps of wgrad have fewer images before they have fewer columns") {
    auto const has_one_image = [](config const& config) {
        return config.groups == 8 && config.images == 1 && config.columns == 32;
    };
    CHECK(
        std::ranges::any_of(listed("n=64 c=120 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2"), has_one_image));
}

TEST_CASE("no model gives a block of wgrad one of two groups of a large layer, or half a ring") {
    auto const is_narrow = [](conv2d::ranked_config const& entry) {
        return std::visit([](auto const& config) { return config.groups == 1; }, entry.config);
    };
    auto const ranking = [](std::string_view words) {
        return conv2d::rank(gradient_of(words), sm_90a).configs;
    };
    CHECK(std::ranges::none_of(ranking("n=256 c=16 h=112 w=112"), is_narrow));
    CHECK(std::ranges::any_of(ranking("n=1 c=16 h=56 w=56"), is_narrow));
    CHECK(std::ranges::any_of(ranking("n=256 c=8 h=112 w=112"), is_narrow));

    constexpr auto layer = "n=1 c=128 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3";
    auto const is_short = [](config const& config) { return config.stages == 4; };
    CHECK(std::ranges::any_of(listed(layer), is_short));
    CHECK(std::ranges::none_of(predicted(layer), is_short));

    // Nor does one give a step of a large filter a single mma tile, with at most four groups.
    auto const is_thin = [](config const& config) {
        return config.groups <= 4 && config.mma_tiles() == 1;
    };
    CHECK(std::ranges::any_of(listed(layer), is_thin));
    CHECK(std::ranges::none_of(predicted(layer), is_thin));
}

TEST_CASE("a sweep of wgrad lists splits of whole strips of images, on nearly all SMs") {
    auto const is_even = [](config const& config) {
        return config.groups == 8 && config.images == 1 && config.columns == 32 &&
               config.splits == 32;
    };
    // Four slices of eight groups: 33 splits would fill 132 SMs.
    CHECK(std::ranges::any_of(listed("n=32 c=240 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2"), is_even));
    CHECK(std::ranges::none_of(listed("n=34 c=240 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2"), is_even));
}
