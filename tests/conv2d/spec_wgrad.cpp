// Weight gradients: the chosen configuration fits, and both kernels get the same problem.
// SPDX-License-Identifier: Apache-2.0
//
// wgrad computes the gradient of the filter. A spec is what a kernel is compiled from: its text for
// a problem, a configuration and an architecture. A split is a share of the rows of all images: its
// blocks compute a partial sum. A second kernel, the reduction, adds the partial sums from the
// workspace, an array in global memory; or the blocks of a cluster add theirs in shared memory.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <variant>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

conv2d::problem gradient_of(std::string_view words) {
    return parse<conv2d::problem>("conv2d", std::string(words) + " pass=wgrad");
}

conv2d::problem random_problem(std::mt19937& random) {
    auto const uniform = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    conv2d::problem problem = {.n = uniform(1, 300),
                               .c = 8 * uniform(1, 200),
                               .h = uniform(7, 260),
                               .w = uniform(7, 260),
                               .r = uniform(1, 7),
                               .s = uniform(1, 7),
                               .pad_h = uniform(0, 8),
                               .pad_w = uniform(0, 8),
                               .bias = uniform(0, 1) == 1,
                               .pass = conv2d::direction::wgrad};
    if (uniform(0, 1) == 1) problem.w = uniform(7, 17);
    return problem;
}

// Checks the two kernels of a weight gradient, and the workspace between them; or the one kernel
// where there is one split.
template <class Specs>
void check_specs(conv2d::problem const& problem, Specs const& specs, int splits) {
    auto const& parts = specs.partial_sums;
    CHECK(parts.shape.shared_bytes <= spio::max_shared_bytes);
    CHECK(parts.line() == "conv2d " + text_of(problem));
    CHECK((specs.workspace_bytes > 0) == (splits > 1));
    CHECK(specs.workspace_bytes % 512 == 0);
    REQUIRE(specs.reduction.size() == (splits > 1 ? 1 : 0));
    for (auto const& sum : specs.reduction) {
        CHECK(parts.symbol != sum.symbol);
        CHECK(parts.line() == sum.line());
        CHECK(sum.source.starts_with("#include \"conv2d/wgrad_reduce.cuh\""));
    }
}

} // namespace

TEST_CASE("every problem has a wgrad configuration that fits, with TMA and without") {
    std::mt19937 random(2026);
    for (int n = 0; n < 2000; ++n) {
        auto const problem = random_problem(random);
        CAPTURE(text_of(problem));
        for (arch const arch : {sm_80, sm_86, sm_89}) {
            auto const config = conv2d::best_wgrad_cp_async(problem, arch);
            CAPTURE(text_of(config));
            REQUIRE(config.fits(problem));
            auto const specs = conv2d::specialize_gradient(problem, config, arch);
            check_specs(problem, specs, config.splits);
            CHECK(specs.partial_sums.source.starts_with("#include \"conv2d/wgrad_cp_async.cuh\""));
        }
        auto const config = conv2d::best_wgrad_tma(problem, sm_90a);
        CAPTURE(text_of(config));
        REQUIRE(config.fits(problem));
        auto const specs = conv2d::specialize_gradient(problem, config, sm_90a);
        check_specs(problem, specs, config.splits);
        CHECK(specs.partial_sums.source.starts_with("#include \"conv2d/wgrad_tma.cuh\""));
    }
}

TEST_CASE("a cluster that adds the sums of wgrad takes one kernel and no workspace") {
    auto const problem = gradient_of("n=4 c=72 h=28 w=28 bias=true");
    conv2d::wgrad_tma::config config = {.groups = 1,
                                        .images = 2,
                                        .columns = 32,
                                        .stages = 8,
                                        .splits = 8,
                                        .whole_images = false,
                                        .cluster = 8};
    CHECK(conv2d::config_text(config) == "wgrad_tma groups=1 images=2 columns=32 stages=8 splits=8 "
                                         "whole_images=false cluster=8");
    auto const specs = conv2d::specialize_gradient(problem, config, sm_90a);
    CHECK(specs.partial_sums.shape.cluster == extent{8});
    CHECK(specs.reduction.empty());
    CHECK(specs.workspace_bytes == 0);
    CHECK(conv2d::specs_of(problem, config, sm_90a).size() == 1);
    // The same configuration without clusters.
    auto const apart = [&] {
        auto alone = config;
        alone.cluster = 1;
        return alone;
    }();
    CHECK(specs.partial_sums.shape.shared_bytes > apart.shared_bytes(problem));
    CHECK(conv2d::specs_of(problem, apart, sm_90a).size() == 2);
    // No two blocks share an SM where there is one for each; with more blocks, some do.
    auto const bytes_of = [&](int splits) {
        auto many = apart;
        many.splits = splits;
        return conv2d::specialize_gradient(problem, many, sm_90a).partial_sums.shape.shared_bytes;
    };
    int const slices = static_cast<int>(apart.blocks_of(problem) / apart.splits);
    CHECK(2 * bytes_of(132 / slices) > 228 * 1024);
    CHECK(bytes_of(132 / slices + 1) == apart.shared_bytes(problem));
    // All splits are one cluster, of at most 16 blocks, and the sizes of the layer are known.
    config.cluster = 4;
    CHECK(!config.fits(problem));
    config.splits = config.cluster = 16;
    CHECK(config.fits(problem));
    config.splits = config.cluster = 17;
    CHECK(!config.fits(problem));
    config.splits = config.cluster = 8;
    CHECK(!config.fits(gradient_of("n=4 c=72 h=28 w=28 made_for=any_layer")));
}

TEST_CASE("small layers get a cluster, and large ones do not") {
    auto const chosen = [](std::string_view words) {
        return conv2d::config_text(conv2d::best_config(gradient_of(words), sm_90a));
    };
    CHECK(chosen("n=1 c=96 h=56 w=56").find(" cluster=") != std::string::npos);
    CHECK(chosen("n=1 c=192 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2").find(" cluster=") !=
          std::string::npos);
    CHECK(chosen("n=256 c=64 h=64 w=64").find("cluster") == std::string::npos);
    // Where there are many taps and groups, wgrad by TMA is faster.
    CHECK(chosen("n=1 c=128 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3").starts_with("wgrad_tma "));
    // Few channels leave room for steps of 8 mma tiles, of which the widest load the least.
    auto const ranking = conv2d::rank(gradient_of("n=32 c=56 h=28 w=28"), sm_90a);
    CHECK(std::ranges::any_of(ranking.configs, [](auto const& ranked) {
        auto const text = conv2d::config_text(ranked.config);
        return text.starts_with("wgrad_tma groups=1 images=4 columns=32 ") &&
               text.ends_with(" cluster=16 parts=2");
    }));
    auto const others =
        conv2d::rank(gradient_of("n=4 c=96 h=56 w=56 r=5 s=5 pad_h=2 pad_w=2"), sm_90a);
    CHECK(std::ranges::any_of(others.configs, [](auto const& ranked) {
        auto const text = conv2d::config_text(ranked.config);
        return text.starts_with("wgrad_tma groups=2 images=1 columns=64 ") &&
               text.find(" cluster=16") != text.npos;
    }));
}

TEST_CASE("two warps share the taps of a group in blocks of few groups, where that is faster") {
    auto const chosen = [](std::string_view words) {
        return conv2d::config_text(conv2d::best_config(gradient_of(words), sm_90a));
    };
    auto const has_parts = [&](std::string_view words) {
        auto const text = chosen(words);
        CHECK(text.starts_with("wgrad_tma groups="));
        return text.ends_with(" parts=2");
    };
    // One kernel, whatever the filter; of two kernels the model decides.
    CHECK(has_parts("n=1 c=96 h=56 w=56"));
    CHECK(has_parts("n=1 c=768 h=7 w=7 r=7 s=7 pad_h=3 pad_w=3"));
    CHECK(has_parts("n=2 c=672 h=14 w=14 r=5 s=5 pad_h=2 pad_w=2"));
    std::string_view const five = "n=48 c=72 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2";
    // Too many groups, two kernels with 3 x 3 taps, and too few registers.
    CHECK(!has_parts("n=128 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2"));
    CHECK(!has_parts("n=128 c=96 h=56 w=56"));
    CHECK(!has_parts("n=16 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3"));
    // What is listed for trials has both.
    auto const configs = conv2d::space(gradient_of(five), sm_90a);
    auto const is_divided = [](conv2d::config const& config) {
        return conv2d::config_text(config).ends_with(" parts=2");
    };
    CHECK(std::ranges::any_of(configs, is_divided));
    CHECK(!std::ranges::all_of(configs, is_divided));
}

TEST_CASE("a model chooses the stages of a ring, which are not all that fit") {
    auto const problem = gradient_of("n=192 c=240 h=14 w=14");
    auto const ranking = conv2d::rank(problem, sm_90a);
    auto const lists = [&](std::string_view words) {
        return std::ranges::any_of(ranking.configs, [&](auto const& prediction) {
            return conv2d::config_text(prediction.config).find(words) != std::string::npos;
        });
    };
    CHECK(lists("groups=8 images=4 columns=16 stages=11 "));
    CHECK(lists("groups=8 images=4 columns=16 stages=5 "));
    REQUIRE(!ranking.configs.empty());
    CHECK(conv2d::config_text(conv2d::best_config(problem, sm_90a)) ==
          conv2d::config_text(ranking.configs.front().config));
}

TEST_CASE("eight groups of a large filter take registers from the producer's warpgroup") {
    auto const chosen = [](std::string_view words) {
        return conv2d::config_text(conv2d::best_config(gradient_of(words), sm_90a));
    };
    CHECK(chosen("n=384 c=128 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3")
              .starts_with("wgrad_tma groups=8 images=1 columns=64 stages=8 "));
    // Twelve groups would leave four warps idle.
    CHECK(chosen("n=96 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3").starts_with("wgrad_tma groups=4 "));
    conv2d::wgrad_tma::config config = {
        .groups = 8, .images = 2, .columns = 16, .stages = 8, .splits = 22, .whole_images = false};
    auto const problem = gradient_of("n=96 c=384 h=14 w=14 r=7 s=7 pad_h=3 pad_w=3");
    CHECK(config.threads(problem) == 12 * 32);
    CHECK(4 * config.producer_registers + 8 * config.consumer_registers() <= 65536 / 32);
    // One mma tile needs no more registers.
    config.images = 1;
    CHECK(config.threads(problem) == 9 * 32);
}

TEST_CASE("a part of the taps needs a filter of three columns, and takes a warp of each group") {
    conv2d::wgrad_tma::config config = {
        .groups = 4, .images = 1, .columns = 16, .stages = 4, .splits = 2, .whole_images = false};
    auto const problem = gradient_of("n=4 c=32 h=8 w=8");
    CHECK(config.threads(problem) == 5 * 32);
    config.parts = 2;
    CHECK(config.threads(problem) == 9 * 32);
    CHECK(config.fits(problem));
    CHECK(!config.fits(gradient_of("n=4 c=32 h=8 w=8 s=2")));
    CHECK(conv2d::config_text(config).ends_with(" whole_images=false parts=2"));
    config.parts = 3;
    CHECK(!config.fits(problem));
}

TEST_CASE("layers that were measured get the configuration that was fastest") {
    auto const tma_config = [](std::string_view words) {
        return text_of(conv2d::best_wgrad_tma(gradient_of(words), sm_90a));
    };
    CHECK(tma_config("n=256 c=64 h=64 w=64") ==
          "groups=8 images=1 columns=64 stages=12 splits=132 whole_images=false");
    CHECK(tma_config("n=128 c=1024 h=16 w=16") ==
          "groups=8 images=4 columns=16 stages=11 splits=8 whole_images=false");
    CHECK(tma_config("n=64 c=128 h=56 w=56 bias=true") ==
          "groups=8 images=1 columns=64 stages=12 splits=66 whole_images=false");
    CHECK(tma_config("n=128 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2") ==
          "groups=8 images=2 columns=32 stages=8 splits=26 whole_images=false");
    CHECK(tma_config("n=256 c=1152 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2") ==
          "groups=8 images=2 columns=8 stages=4 splits=7 whole_images=true");
}

TEST_CASE("the error of a configuration that does not fit names it or its field") {
    auto const problem = gradient_of("n=4 c=16 h=8 w=8");
    auto const reason = [&](conv2d::wgrad_tma::config const& config) {
        try {
            conv2d::specialize_gradient(problem, config, sm_90a);
        } catch (spio::error const& e) {
            return e.reason();
        }
        return std::string("none");
    };
    CHECK(reason({.groups = 6,
                  .images = 2,
                  .columns = 8,
                  .stages = 4,
                  .splits = 2,
                  .whole_images = false}) ==
          "the configuration wgrad_tma groups=6 images=2 "
          "columns=8 stages=4 splits=2 whole_images=false "
          "does not fit: groups is 6, but must be 2, 4 or 8, as "
          "the swizzle of TMA, or an odd number up to 15, or 12");
    CHECK(reason({.groups = 2,
                  .images = 1,
                  .columns = 8,
                  .stages = 4,
                  .splits = 2,
                  .whole_images = false}) == "the configuration wgrad_tma groups=2 images=1 "
                                             "columns=8 stages=4 splits=2 whole_images=false "
                                             "does not fit: columns is 8 and images is 1, but must "
                                             "be a multiple of 16, or 8 of an even number");
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
    // A kernel that does not know the size of its images cannot load whole ones.
    auto const any_image = gradient_of("n=4 c=16 h=8 w=8 made_for=any_image");
    CHECK(!conv2d::wgrad_tma::config{
        .groups = 2, .images = 1, .columns = 16, .stages = 2, .splits = 2, .whole_images = true}
               .fits(any_image));
}
