// Weight gradients: what is picked for them fits, and both kernels are told the same.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

conv2d::problem gradient_of(std::string_view words) {
    return parse<conv2d::problem>("conv2d", std::string(words) + " pass=wgrad");
}

conv2d::problem drawn(std::mt19937& random) {
    auto const between = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    conv2d::problem of = {.n = between(1, 300),
                          .c = 8 * between(1, 200),
                          .h = between(7, 260),
                          .w = between(7, 260),
                          .r = between(1, 7),
                          .s = between(1, 7),
                          .pad_h = between(0, 8),
                          .pad_w = between(0, 8),
                          .bias = between(0, 1) == 1,
                          .pass = conv2d::direction::wgrad};
    if (between(0, 1) == 1) of.w = between(7, 17);
    return of;
}

// The memory of blocks that a processor holds at once, less than what it has.
void check_specs(conv2d::problem const& of, spec const& parts, spec const& sum,
                 long long workspace_bytes) {
    CHECK(workspace_bytes > 0);
    CHECK(workspace_bytes % 512 == 0);
    CHECK(parts.shape.shared_bytes <= spio::max_shared_bytes);
    CHECK(parts.symbol != sum.symbol);
    CHECK(parts.line() == sum.line());
    CHECK(parts.line() == "conv2d " + text_of(of));
    CHECK(sum.source.starts_with("#include \"conv2d/wgrad_reduce.cuh\""));
}

} // namespace

TEST_CASE(
    "for every problem there is a share of it among blocks, for chips with an engine or without") {
    std::mt19937 random(2026);
    for (int n = 0; n < 2000; ++n) {
        auto const of = drawn(random);
        CAPTURE(text_of(of));
        for (arch const arch : {sm_80, sm_86, sm_89}) {
            auto const by = conv2d::best_wgrad_cp_async(of, arch);
            CAPTURE(text_of(by));
            REQUIRE(by.fits(of));
            auto const made = conv2d::specialize_gradient(of, by, arch);
            check_specs(of, made.partial_sums, made.reduction, made.workspace_bytes);
            CHECK(made.partial_sums.source.starts_with("#include \"conv2d/wgrad_cp_async.cuh\""));
        }
        auto const by = conv2d::best_wgrad_tma(of, sm_90a);
        CAPTURE(text_of(by));
        REQUIRE(by.fits(of));
        auto const made = conv2d::specialize_gradient(of, by, sm_90a);
        check_specs(of, made.partial_sums, made.reduction, made.workspace_bytes);
        CHECK(made.partial_sums.source.starts_with("#include \"conv2d/wgrad_tma.cuh\""));
    }
}

TEST_CASE("the layers that are measured have the configurations that were fastest") {
    auto const boxes = [](std::string_view words) {
        return text_of(conv2d::best_wgrad_tma(gradient_of(words), sm_90a));
    };
    CHECK(boxes("n=256 c=64 h=64 w=64") ==
          "groups=8 images=1 columns=64 stages=12 splits=132 whole_images=false");
    CHECK(boxes("n=128 c=1024 h=16 w=16") ==
          "groups=8 images=4 columns=16 stages=11 splits=8 whole_images=false");
    CHECK(boxes("n=64 c=128 h=56 w=56 bias=true") ==
          "groups=8 images=1 columns=64 stages=12 splits=66 whole_images=false");
    CHECK(boxes("n=128 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2") ==
          "groups=8 images=2 columns=32 stages=8 splits=26 whole_images=false");
    CHECK(boxes("n=256 c=1152 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2") ==
          "groups=8 images=2 columns=8 stages=4 splits=7 whole_images=true");
}

TEST_CASE("what does not fit is told") {
    auto const of = gradient_of("n=4 c=16 h=8 w=8");
    auto const reason = [&](conv2d::wgrad_tma::config const& by) {
        try {
            conv2d::specialize_gradient(of, by, sm_90a);
        } catch (spio::error const& e) {
            return e.reason();
        }
        return std::string("none");
    };
    CHECK(reason({.groups = 3,
                  .images = 2,
                  .columns = 8,
                  .stages = 4,
                  .splits = 2,
                  .whole_images = false}) == "the configuration wgrad_tma groups=3 images=2 "
                                             "columns=8 stages=4 splits=2 whole_images=false "
                                             "does not fit");
    CHECK(reason({.groups = 2,
                  .images = 1,
                  .columns = 8,
                  .stages = 4,
                  .splits = 2,
                  .whole_images = false}) == "the configuration wgrad_tma groups=2 images=1 "
                                             "columns=8 stages=4 splits=2 whole_images=false "
                                             "does not fit");
    CHECK(reason({.groups = 2,
                  .images = 2,
                  .columns = 8,
                  .stages = 1,
                  .splits = 2,
                  .whole_images = false}) == "stages is 1, but must be at least 2, at most 64");
    CHECK(reason({.groups = 2,
                  .images = 1,
                  .columns = 16,
                  .stages = 2,
                  .splits = 2,
                  .whole_images = true}) == "none");
    auto const any = gradient_of("n=4 c=16 h=8 w=8 made_for=any_image");
    CHECK(!conv2d::wgrad_tma::config{2, 1, 16, 2, 2, true}.fits(any));
}
