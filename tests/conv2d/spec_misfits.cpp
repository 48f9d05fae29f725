// A configuration that does not fit its convolution is refused with the condition and its numbers.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter. A config is the configuration of one of the bodies,
// four kernel templates; it fits if their kernel can compute the problem.
#include <doctest/doctest.h>

#include "tests/spec/extreme.h"
#include "tests/spec/misfit.h"

#include <random>
#include <string>
#include <variant>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

// Why a configuration does not fit; see test::misfit_of().
std::string misfit_of(conv2d::problem const& problem, conv2d::config const& config) {
    return test::misfit_of<error>([&] { conv2d::explain(problem, config, sm_90a); });
}
std::string misfit_of(std::string const& problem, conv2d::config const& config) {
    return misfit_of(parse<conv2d::problem>("conv2d", problem), config);
}

template <class T> T drawn(std::mt19937& random) {
    T value = {};
    auto slots = slots_of(value);
    test::draw_extreme(random, slots, /*is_wild=*/false);
    return value;
}

// A problem of the size of a network's layers.
conv2d::problem drawn_layer(std::mt19937& random) {
    auto const draw = [&](int bound) { return static_cast<int>(random() % unsigned(bound)); };
    conv2d::problem layer = {.n = 1 + draw(64), .c = 8 + 8 * draw(40), .h = 0, .w = 0};
    layer.r = 1 + draw(7), layer.s = 1 + draw(7);
    layer.pad_h = draw(4), layer.pad_w = draw(4);
    layer.stride_h = 1 + draw(2), layer.stride_w = 1 + draw(2);
    layer.dilation_h = 1 + draw(2), layer.dilation_w = 1 + draw(2);
    layer.h = layer.extent_h() + draw(300), layer.w = layer.extent_w() + draw(300);
    layer.pass = conv2d::direction(draw(3));
    layer.made_for = conv2d::known_sizes(draw(3));
    return layer;
}

// How many of 2000 drawn configurations of a body were refused, each for a condition that is told.
template <class Config> int told_misfits() {
    std::mt19937 random(11);
    int count = 0;
    for (int i = 0; i < 2000; ++i) {
        auto const problem = drawn_layer(random);
        auto const config = drawn<Config>(random);
        auto const text = misfit_of(problem, config);
        if (text.starts_with("refused: ")) continue; // dgrad that the body tma does not compute
        REQUIRE((text == "none") == config.fits(problem));
        REQUIRE(!text.empty());
        count += text != "none";
    }
    return count;
}

} // namespace

TEST_CASE("a refused configuration of fprop or dgrad names its condition and the numbers") {
    using cp_async = conv2d::cp_async::config;
    using tma = conv2d::tma::config;
    std::string const layer = "n=2 c=16 h=9 w=9";
    CHECK(misfit_of(layer, cp_async{4, 1, 16, 4, 1, 3, 0}) ==
          "groups is 4, but must be at most 2, those of the problem");
    CHECK(misfit_of(layer, cp_async{2, 1, 48, 4, 2, 3, 0}) ==
          "warps of 32 columns, 16 mma_tiles, do not share 48 columns of 1 images evenly");
    CHECK(misfit_of(layer, cp_async{2, 8, 128, 4, 1, 3, 0}) ==
          "the warps of a block are 128, of at most 32");
    CHECK(misfit_of(layer + " pass=wgrad", cp_async{2, 1, 16, 4, 1, 2, 0}) ==
          "it computes fprop and dgrad");
    CHECK(misfit_of(layer, tma{2, 1, 24, 4, 1, 0}) ==
          "columns is 24 and images is 1, but must be a multiple of 16, or 8 of an even number");
    CHECK(misfit_of(layer + " pass=dgrad stride_h=2 stride_w=2", tma{2, 1, 32, 3, 1, 0}) ==
          "rows is 3, but must be even, as the stride is 2");
    CHECK(misfit_of("n=2 c=64 h=9 w=9", tma{6, 1, 16, 4, 1, 0}) ==
          "groups is 6, but must be 2, 4 or 8, as the swizzle of TMA, or an odd number up to 15");
    CHECK(misfit_of(layer, tma{.groups = 1,
                               .images = 1,
                               .columns = 16,
                               .rows = 4,
                               .tiles_per_block = 1,
                               .blocks = 0,
                               .whole_rows = true})
              .ends_with("an odd number of them or 2: groups is 1 of 2"));
    CHECK(misfit_of("n=2 c=16 h=99 w=99 r=7 s=3", tma{2, 1, 192, 4, 1, 0}) ==
          "the registers for fragments are 357, of at most 208");
    CHECK(misfit_of("n=2 c=16 h=300 w=300", tma{2, 1, 16, 256, 1, 0}) ==
          "the input rows of a tile are 258, of at most 256");
    CHECK(misfit_of(layer, tma{2, 1, 16, 4, 1, 0}) == "none");
}

TEST_CASE("a refused configuration of wgrad names its condition and the numbers") {
    using cp_async = conv2d::wgrad_cp_async::config;
    using tma = conv2d::wgrad_tma::config;
    std::string const layer = "n=4 c=16 h=8 w=8 pass=wgrad";
    CHECK(misfit_of(layer, cp_async{2, 64, 16, 2, 1, 0}) ==
          "the columns of x in a row of all images are 1152, of at most 1024");
    CHECK(misfit_of(layer, cp_async{32, 1, 128, 8, 1, 0}) ==
          "the bytes of shared memory are 1089792, of at most 232448");
    CHECK(misfit_of("n=4 c=16 h=8 w=8", cp_async{2, 1, 16, 2, 1, 0}) == "it computes wgrad");
    CHECK(misfit_of(layer, tma{2, 1, 16, 2, 4, false, 2}) ==
          "cluster is 2, but must be 1 or splits, 4");
    CHECK(misfit_of(layer + " made_for=any_image", tma{2, 1, 16, 2, 2, true}) ==
          "whole_images takes images of a known size");
    CHECK(misfit_of("n=4 c=16 h=8 w=20 pass=wgrad", tma{2, 1, 16, 2, 2, true}) ==
          "whole_images takes all output columns, which are 20, of at most 16");
    CHECK(misfit_of(layer + " stride_h=2", tma{2, 1, 16, 2, 2, true}) ==
          "whole_images takes a stride and a dilation of 1, and stride_h is 2, dilation_h 1");
    CHECK(misfit_of(layer + " s=1 pad_w=0", tma{2, 1, 16, 2, 2, false, 1, 2}) ==
          "parts is 2, but the filter has 1 of at least 3 columns");
    CHECK(misfit_of(layer, tma{12, 1, 16, 2, 2, false}) == "none");
}

TEST_CASE("every refusal of a drawn configuration names a condition") {
    CHECK(told_misfits<conv2d::cp_async::config>() > 1000);
    CHECK(told_misfits<conv2d::tma::config>() > 1000);
    CHECK(told_misfits<conv2d::wgrad_cp_async::config>() > 1000);
    CHECK(told_misfits<conv2d::wgrad_tma::config>() > 1000);
}
