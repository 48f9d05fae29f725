// Problems of grouped convolution: how they are parsed, checked, named and made into kernels.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of one call; fprop, dgrad and wgrad are the forward pass and
// the gradients of input and filter. A configuration says how blocks share it: its numbers are
// groups, images, columns and rows of the output per block, tiles (in cp_async also stages), blocks
// per SM. A body is a kernel template, tma or cp_async. A spec is what a kernel is compiled from.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

// The problem that words such as "n=1 c=8" spell. Throws if there is no such problem.
conv2d::problem problem_of(std::string_view words) {
    auto const problem = parse<conv2d::problem>("conv2d", words);
    conv2d::check(problem);
    return problem;
}
// The reason for which an action throws Spio's error, or "none".
template <class Action> std::string refusal_of(Action const& action) {
    try {
        action();
    } catch (spio::error const& e) {
        return e.reason();
    }
    return "none";
}
std::string reason(std::string_view words) {
    return refusal_of([&] { problem_of(words); });
}

} // namespace

TEST_CASE("a problem is parsed from words, and fields that are left out have defaults") {
    auto const problem = problem_of("n=17 c=96 h=37 w=41 r=3 s=5 pad_h=1 pad_w=2 pass=wgrad");
    CHECK(problem.pass == conv2d::direction::wgrad);
    CHECK(problem.p() == 37);
    CHECK(problem.q() == 41);
    CHECK(text_of(problem) == "n=17 c=96 h=37 w=41 r=3 s=5 pad_h=1 pad_w=2 bias=false pass=wgrad "
                              "made_for=all gradient=fp32");
    CHECK(text_of(problem_of("n=1 c=8 h=1 w=1")) ==
          "n=1 c=8 h=1 w=1 r=3 s=3 pad_h=1 pad_w=1 bias=false pass=fprop made_for=all "
          "gradient=fp32");
    // The type is written where it is not fp16, strides and dilations where they are not 1.
    CHECK(text_of(problem_of("n=1 c=8 h=1 w=1 type=fp16")) ==
          text_of(problem_of("n=1 c=8 h=1 w=1")));
    CHECK(text_of(problem_of("n=1 c=8 h=1 w=1 type=bf16")).ends_with(" gradient=fp32 type=bf16"));
    CHECK(text_of(problem_of("n=1 c=8 h=3 w=3 stride_w=1 dilation_h=2"))
              .ends_with(" gradient=fp32 dilation_h=2"));
    CHECK(initializer_of(problem_of("n=1 c=8 h=1 w=1 type=bf16"))
              .ends_with(", .type = spio::conv2d::element_type::bf16}"));
    CHECK(initializer_of(problem_of("n=1 c=8 h=1 w=1 made_for=any_n").without_unknown()) ==
          "{.n = 0, .c = 8, .h = 1, .w = 1, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1, .bias = false, "
          ".pass = spio::conv2d::direction::fprop, .made_for = spio::conv2d::known_sizes::any_n, "
          ".gradient = spio::conv2d::precision::fp32}");
}

TEST_CASE("the name of a problem has the sizes of its layer") {
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 pad_w=0 s=5")) ==
          "32n_64c_64h_60w_1py_0px_3r_5s_nb");
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 bias=true made_for=any_n")) ==
          "anyn_64c_64h_60w_1py_1px_3r_3s_b");
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 made_for=any_image")) ==
          "anyn_64c_anyh_anyw_1py_1px_3r_3s_nb");
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 type=bf16")) ==
          "32n_64c_64h_60w_1py_1px_3r_3s_nb_bf16");
    CHECK(conv2d::name_of(problem_of("n=32 c=64 h=64 w=60 stride_h=2 dilation_w=2")) ==
          "32n_64c_64h_60w_1py_1px_3r_3s_nb_2sy_2dx");
}

TEST_CASE("strides and dilations make the output smaller") {
    auto problem = problem_of("n=1 c=8 h=9 w=10 r=3 s=5 stride_h=2 dilation_w=2 pad_h=0 pad_w=3");
    CHECK(problem.p() == 4);
    CHECK(problem.q() == 8);
    problem.pass = conv2d::direction::dgrad;
    // The gradient of y has zeros between its rows, and the image has a row that no output reads.
    auto const correlation = conv2d::correlation_of(problem);
    CHECK(correlation.spacing_h == 2);
    CHECK(correlation.rows.stride == 1);
    CHECK(correlation.columns.dilation == 2);
    CHECK(correlation.rows.pad == 2);
    CHECK(correlation.columns.pad == 5);
    conv2d::tma::config const tma = {
        .groups = 1, .images = 1, .columns = 16, .rows = 8, .tiles_per_block = 1, .blocks = 1};
    CHECK_THROWS_WITH_AS(conv2d::specialize(problem, tma, sm_90a),
                         doctest::Contains("tma takes only dilations of 1"), spio::error);
    CHECK(conv2d::config_text(conv2d::best_config(problem, sm_90a)).starts_with("cp_async "));
}

TEST_CASE("dgrad is a correlation with a reversed filter and other padding") {
    auto problem = problem_of("n=1 c=8 h=9 w=10 r=3 s=5 pad_h=7 pad_w=0 pass=dgrad");
    auto const correlation = conv2d::correlation_of(problem);
    CHECK(correlation.is_backward);
    CHECK(correlation.h == 21);
    CHECK(correlation.w == 6);
    CHECK(correlation.p == 9);
    CHECK(correlation.q == 10);
    CHECK(correlation.rows.pad == -5);
    CHECK(correlation.columns.pad == 4);
    problem.pass = conv2d::direction::fprop;
    CHECK(conv2d::correlation_of(problem).p == 21);
    CHECK(conv2d::correlation_of(problem).rows.pad == 7);
}

TEST_CASE("the error of an unsupported problem names the field and its bound") {
    CHECK(reason("n=0 c=8 h=1 w=1") == "n is 0, but must be at least 1");
    CHECK(reason("n=1 c=12 h=1 w=1").starts_with("c is 12, but must be at least 8, at most "));
    CHECK(reason("n=1 c=12 h=1 w=1").ends_with(", a multiple of 8"));
    CHECK(reason("n=1 c=8 h=1 w=1 r=8") == "r is 8, but must be at least 1, at most 7");
    CHECK(reason("n=1 c=8 h=1 w=1 pad_w=-1") == "pad_w is -1, but must be at least 0");
    CHECK(reason("n=1 c=8 h=4 w=4 r=7") == "h + 2 pad_h is 6, but must be at least r, 7");
    CHECK(reason("n=1 c=8 h=4 w=4 r=4 dilation_h=2") ==
          "h + 2 pad_h is 6, but must be at least 2 r - 1, 7");
    CHECK(reason("n=1 c=8 h=4 w=4 stride_w=3") ==
          "stride_w is 3, but must be at least 1, at most 2");
    CHECK(reason("n=1 c=8 h=4 w=4 pad_w=2000000000") ==
          "w + 2 pad_w is 4000000004, but must be at most 2147483647");
    CHECK(reason("n=1 c=8 h=4 w=4 bias=true pass=dgrad") == "bias is true, but dgrad has none");
    CHECK(reason("n=1 c=8 h=4 w=4 gradient=fp16") ==
          "gradient is fp16, but fprop makes no weight gradient");
    CHECK(reason("n=1 c=8 h=4 w=4 gradient=bf16 type=bf16") ==
          "gradient is bf16, but fprop makes no weight gradient");
    CHECK(reason("n=1 c=8 h=4 w=4 gradient=fp16 type=bf16 pass=wgrad") ==
          "gradient is fp16, but must be fp32 or the type, bf16");
    CHECK(reason("n=1 c=8 h=4 w=4 gradient=bf16 type=bf16 pass=wgrad") == "none");
    CHECK(reason("n=1 c=8 h=4 w=4 pass=forward") ==
          "pass is 'forward', but must be one of fprop, dgrad, wgrad");
}

TEST_CASE("a specialization names its body, its layer and its blocks per SM") {
    auto const problem = problem_of("n=32 c=64 h=64 w=64 made_for=any_n");
    conv2d::cp_async::config const config = {8, 1, 32, 16, 2, 4, 4, true}; // named below
    auto const spec = conv2d::specialize(problem, config, sm_80);
    CHECK(spec.symbol.starts_with("conv2d_fprop_anyn_64c_64h_64w_1py_1px_3r_3s_nb_"));
    CHECK(spec.config ==
          "cp_async groups=8 images=1 columns=32 rows=16 mma_tiles=2 stages=4 blocks=4 "
          "unrolled=true");
    CHECK(spec.source.starts_with("#include \"conv2d/cp_async.cuh\"\n"));
    CHECK(spec.source.find("__launch_bounds__(256, 4) " + spec.symbol) != std::string::npos);
    // Cells of 16 bytes, 9 a column: 4 stages of an input row, and 2 rows of the output.
    CHECK(spec.shape == block_shape{.block = {256}, .shared_bytes = 16 * 9 * (4 * 34 + 2 * 32)});
    // The symbol is the same for every batch size.
    CHECK(conv2d::specialize(problem.with(7, 64, 64), config, sm_80).symbol == spec.symbol);
    CHECK(conv2d::grid(problem, config) == extent{32 * 4 * 2});
    CHECK(conv2d::grid(problem.with(33, 64, 64), config) == extent{33 * 4 * 2});
}

TEST_CASE("the tma body is specialized for chips with a TMA engine, and for no other") {
    auto const problem = problem_of("n=32 c=64 h=64 w=64 made_for=any_n");
    auto const config = conv2d::best_tma(problem);
    auto const spec = conv2d::specialize(problem, config, sm_90a);
    CHECK(spec.config == "tma groups=8 images=1 columns=16 rows=8 tiles_per_block=1 blocks=5");
    CHECK(spec.source.starts_with("#include \"conv2d/tma.cuh\"\n"));
    CHECK(spec.source.find("(__grid_constant__ spio::conv2d::tma::params const p)") !=
          std::string::npos);
    CHECK(spec.shape.block == extent{256});
    CHECK(config.blocks_of(problem) == 32 * 8 * 4);
    CHECK(conv2d::specialize(problem.with(7, 64, 64), config, sm_90a).symbol == spec.symbol);

    auto const refused = [&](conv2d::tma::config const& wrong, arch arch) {
        return refusal_of([&] { conv2d::specialize(problem, wrong, arch); });
    };
    CHECK(refused(config, sm_89) ==
          "the tma bodies need the TMA engine of sm_90a, and sm_89 has none");
    CHECK(refused({6, 1, 16, 8, 1, 0}, sm_90a).find("does not fit: groups is 6, but must be 2") !=
          std::string::npos);
    CHECK(refused({8, 65, 8, 8, 1, 0}, sm_90a) ==
          "images is 65, but must be at least 1, at most 64");
    CHECK(
        refused({8, 1, 64, 100, 1, 0}, sm_90a).find("bytes of shared memory, of at most 232448") !=
        std::string::npos);
    CHECK(refused({8, 1, 16, 8, 1, 0}, host_arch) == "none");
}

TEST_CASE("the best tma configuration fits every problem") {
    std::mt19937 random(7);
    auto const uniform = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    for (int n = 0; n < 2000; ++n) {
        conv2d::problem problem = {.n = uniform(1, 256),
                                   .c = 8 * uniform(1, 256),
                                   .h = uniform(7, 300),
                                   .w = uniform(7, 300)};
        problem.r = uniform(1, 7);
        problem.s = uniform(1, 7);
        problem.pad_h = uniform(0, 9);
        problem.pad_w = uniform(0, 9);
        problem.pass = n % 2 == 0 ? conv2d::direction::fprop : conv2d::direction::dgrad;
        problem.dilation_h = uniform(1, 2);
        problem.dilation_w = uniform(1, 2);
        if (problem.pass == conv2d::direction::fprop) {
            problem.stride_h = uniform(1, 2);
            problem.stride_w = uniform(1, 2);
        }
        problem.h += problem.extent_h();
        problem.w += problem.extent_w();
        problem.made_for =
            std::array{conv2d::known_sizes::all, conv2d::known_sizes::any_n,
                       conv2d::known_sizes::any_image}[static_cast<std::size_t>(n % 3)];
        auto const config = conv2d::best_tma(problem);
        CHECK(config.fits(problem));
        CHECK(config.blocks >= 1);
        CHECK(config.blocks * (config.shared_bytes(problem) + 1024) <= 228 * 1024);
        CHECK(config.blocks_of(problem) >= 1);
    }
}

TEST_CASE("a configuration that does not fit the problem or the chip is refused") {
    auto const problem = problem_of("n=2 c=16 h=9 w=9");
    auto const refused = [&](conv2d::cp_async::config const& config) {
        return refusal_of([&] { conv2d::specialize(problem, config, sm_80); });
    };
    // The problem has only two groups, and the two mma tiles of a warp do not divide 48 columns.
    CHECK(refused({4, 1, 16, 4, 1, 3, 0}).find("does not fit: groups is 4") != std::string::npos);
    CHECK(refused({2, 1, 48, 4, 2, 3, 0}).find("do not share 48 columns") != std::string::npos);
    CHECK(refused({2, 1, 24, 4, 1, 3, 0}).find("do not share 24 columns") != std::string::npos);
    CHECK(refused({2, 1, 16, 4, 1, 1, 0}) == "stages is 1, but must be at least 2, at most 16");
    CHECK(refused({2, 2, 512, 4, 8, 16, 0}).find("bytes of shared memory, of at most 166912") !=
          std::string::npos);
    CHECK(refused({2, 1, 16, 4, 1, 2, 0}) == "none");
}

TEST_CASE("shared memory and bodies suit the chip, also chips newer than Spio") {
    auto const problem = problem_of("n=128 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2 pass=wgrad");
    for (arch const arch : {compute_80, sm_86, sm_89, parse_arch("sm_120")}) {
        auto const specs = conv2d::specs_of(problem, conv2d::best_config(problem, arch), arch);
        CHECK(specs[0].shape.shared_bytes <= 99 * 1024);
    }
    auto const text = problem_of("n=128 c=288 h=32 w=32 r=5 s=5 pad_h=2 pad_w=2");
    constexpr arch compute_90a = {90, 'a', true};
    CHECK(conv2d::specs_of(text, conv2d::best_config(text, compute_90a), compute_90a).size() == 1);
    // A newer chip gets the kernel that uses cp.async, and its specialization names the chip as
    // unknown.
    auto const newer =
        conv2d::specs_of(text, conv2d::best_config(text, arch{100, 'a'}), {100, 'a'});
    CHECK(newer[0].config.starts_with("cp_async "));
    CHECK(newer[0].spelled().find("sm_100a, newer than all that Spio knows") != std::string::npos);
    CHECK_THROWS_WITH_AS(conv2d::specs_of(problem, conv2d::best_config(problem, sm_90a), sm_80),
                         doctest::Contains("need the TMA engine of sm_90a, and sm_80 has none"),
                         spio::error);
    CHECK_THROWS_WITH_AS(
        conv2d::specs_of(problem, conv2d::best_config(problem, arch{75}), arch{75}),
        doctest::Contains("it takes at least sm_80, and not sm_75"), spio::error);
}

TEST_CASE("sums of 2^23 products or more have no bound") {
    CHECK(conv2d::bound((1 << 23) - 1, /*value=*/1, /*magnitude=*/1, conv2d::precision::fp32) > 0);
    CHECK(std::isinf(conv2d::bound(1 << 23, 1, 1, conv2d::precision::fp32)));
}

TEST_CASE("the references count taps and positions if all inputs are 1") {
    auto problem = problem_of("n=2 c=16 h=5 w=6 r=3 s=2 pad_h=2 pad_w=1 bias=true");
    auto const ones = [](long long count) {
        return std::vector<unsigned short>(static_cast<std::size_t>(count), 0x3c00);
    };
    auto const x = ones(2 * 5 * 6 * 16), filter = ones(16 * 6 * 8);
    auto const y = conv2d::reference(problem, x, filter, std::vector<float>(16, 0.5F));
    CHECK(y.values.size() == 2 * 7 * 7 * 16);
    CHECK(y.values.front() == 8 * 1 + 0.5);           // one tap is inside
    CHECK(y.values[(3 * 7 + 3) * 16] == 8 * 6 + 0.5); // all of them are
    CHECK(y.magnitudes.front() == y.values.front());
    auto const gradients = conv2d::reference_gradients(problem, x, ones(2 * 7 * 7 * 16));
    CHECK(gradients.bias.values == std::vector<double>(16, 2 * 7 * 7));
    CHECK(gradients.filter.values.front() == 2 * 5 * 6);
    problem.bias = false;
    problem.pass = conv2d::direction::dgrad;
    auto const dx = conv2d::reference(problem, ones(2 * 7 * 7 * 16), filter, {});
    CHECK(dx.values == std::vector<double>(2 * 5 * 6 * 16, 8 * 6));
    CHECK_THROWS_AS(conv2d::reference(problem, x, filter, {}), spio::error);
}

TEST_CASE("a tuned configuration replaces the measured one") {
    auto const problem = problem_of("n=32 c=64 h=56 w=56");
    conv2d::config const tuned = conv2d::parse_config(
        "cp_async groups=4 images=1 columns=16 rows=8 mma_tiles=1 stages=3 blocks=2");
    config_source configs;
    configs.add(config_origin::tuned, [&](config_query const& query) {
        CHECK(query.problem == text_of(problem));
        CHECK(query.arch == sm_90a);
        return std::optional(conv2d::config_text(tuned));
    });
    auto const chosen = conv2d::best_config(problem, sm_90a, configs);
    CHECK(conv2d::config_text(chosen) == conv2d::config_text(tuned));
}
