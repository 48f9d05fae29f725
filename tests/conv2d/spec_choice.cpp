// The choice of configurations by learned models: what is chosen, and where no model is asked.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a problem. A learned model predicts the time of each
// candidate; where there is none for the chip, or the problem is outside of its range, the family's
// own estimate chooses. fprop, dgrad and wgrad are the forward pass and the gradients of input and
// filter. A step of wgrad loads one row of some images, or some whole images. An mma tile is 16
// columns, which one instruction of the tensor cores takes. A generic kernel is compiled for every
// layer with the same filter. A family is the kernels of one operation. A config_source finds
// measured configurations; without one the family chooses. A config_query is a problem of a family,
// for an architecture, that needs a configuration.
#include <doctest/doctest.h>

#include "conv2d/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.model;
import spio.spec;

using namespace spio;

namespace {

// The text of a file of the repository. SPIO_KERNELS is the folder of kernels in it.
std::string text_in(std::string const& file) {
    std::ifstream input(std::string(SPIO_KERNELS) + "/.." + file, std::ios::binary);
    REQUIRE(input);
    return std::string(std::istreambuf_iterator<char>(input), {});
}

conv2d::problem problem_of(std::string const& words) {
    return parse<conv2d::problem>("conv2d", words);
}

// Problems of all passes, with strides, dilations, narrow and wide images.
std::vector<conv2d::problem> problems() {
    std::vector<conv2d::problem> list;
    for (std::string const pass : {"fprop", "dgrad", "wgrad"}) {
        for (std::string const words :
             {"n=8 c=256 h=28 w=28", "n=256 c=24 h=56 w=56", "n=1 c=8 h=7 w=7",
              "n=64 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3",
              "n=32 c=240 h=28 w=28 stride_h=2 stride_w=2",
              "n=512 c=1152 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2",
              "n=4 c=64 h=40 w=20 dilation_h=2 dilation_w=2", "n=16 c=72 h=14 w=14 type=bf16",
              "n=3 c=40 h=130 w=9 r=1 s=7 pad_h=0 pad_w=3 made_for=any_image",
              "n=100 c=96 h=14 w=14 made_for=any_n"}) {
            list.push_back(problem_of(words + " pass=" + pass));
        }
    }
    return list;
}

// The chosen configuration, and the one that the family's estimate finds fastest.
std::string text_of_choice(conv2d::problem const& problem, arch arch) {
    return conv2d::config_text(conv2d::choose(problem, arch).config);
}
std::string text_of_estimate(conv2d::problem const& problem, arch arch) {
    return conv2d::config_text(conv2d::space(problem, arch).front());
}

// The parts of a line, which " | " separates.
std::vector<std::string> parts_of(std::string_view line) {
    std::vector<std::string> parts;
    for (auto end = line.find(" | "); end != line.npos; end = line.find(" | ")) {
        parts.emplace_back(line.substr(0, end));
        line.remove_prefix(end + 3);
    }
    parts.emplace_back(line);
    return parts;
}

} // namespace

TEST_CASE("the library computes the bits of XGBoost for rows that no tree was trained on") {
    std::map<std::string, model::forest> models;
    for (std::string const name : {"correlation", "gradient"}) {
        auto const text = text_in("/models/conv2d_" + name + ".txt");
        CHECK(text.size() <= 300 * 1024); // every program that uses the library has this table
        auto table = model::forest::parse(text, name);
        CHECK(std::ranges::equal(table.features(), conv2d::feature_names()));
        models.emplace(table.name(), std::move(table));
    }
    // A line is a model, a problem, a configuration, and the bits of the value.
    auto const lines = text_in("/tests/conv2d/model_values.txt");
    std::size_t count = 0;
    for (std::string_view rest = lines; !rest.empty();) {
        auto const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        if (line.starts_with('#')) continue;
        auto const parts = parts_of(line);
        REQUIRE(parts.size() == 4);
        ++count;
        CAPTURE(parts[1]);
        CAPTURE(parts[2]);
        auto const problem = problem_of(parts[1]);
        auto const config = conv2d::parse_config(parts[2]);
        auto const row = conv2d::features_of(
            problem, {config, conv2d::explain(problem, config, sm_90a)}, sm_90a);
        float value = 0;
        models.at(parts[0]).predict(row, std::span(&value, 1));
        CHECK(std::bit_cast<std::uint32_t>(value) == std::strtoul(parts[3].c_str(), nullptr, 16));
    }
    CHECK(count == 240);
}

TEST_CASE("candidates can be specialized, have finite features, and are all different") {
    for (auto const& problem : problems()) {
        for (arch const arch : {sm_80, sm_90a}) {
            std::vector<std::string> texts;
            for (auto const& candidate : conv2d::candidates(problem, arch)) {
                for (float const value : conv2d::features_of(problem, candidate, arch)) {
                    REQUIRE(std::isfinite(value));
                }
                texts.push_back(conv2d::config_text(candidate.config));
                // Only the first of each eight candidates is specialized, since it takes long.
                bool const is_specialized =
                    texts.size() % 8 != 1 ||
                    !conv2d::specs_of(problem, candidate.config, arch).empty();
                REQUIRE(is_specialized);
            }
            std::ranges::sort(texts);
            CHECK(!texts.empty());
            CHECK(std::ranges::adjacent_find(texts) == texts.end());
        }
    }
}

namespace {
bool has_candidate(conv2d::problem const& problem, std::string const& config) {
    return std::ranges::any_of(conv2d::candidates(problem, sm_90a), [&](auto const& candidate) {
        return conv2d::config_text(candidate.config) == config;
    });
}
} // namespace

TEST_CASE("wgrad's candidates take small images whole or by rows, and narrow ones in 8 groups") {
    auto const small = problem_of("n=256 c=1152 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2 pass=wgrad");
    std::string const fields = "wgrad_tma groups=8 images=2 columns=8 stages=4 splits=7 ";
    CHECK(has_candidate(small, fields + "whole_images=true"));
    CHECK(has_candidate(small, fields + "whole_images=false"));
    // Accumulators of 7 x 7 taps leave registers for 8 groups only where a step has few columns.
    auto const narrow = problem_of("n=64 c=64 h=40 w=8 r=7 s=7 pad_h=3 pad_w=3 pass=wgrad");
    auto const list = conv2d::candidates(narrow, sm_90a);
    CHECK(std::ranges::any_of(list, [](auto const& candidate) {
        auto const* const config = std::get_if<conv2d::wgrad_tma::config>(&candidate.config);
        return config != nullptr && config->groups == 8 && config->images == 2 &&
               config->columns == 8;
    }));
    // With two mma tiles a row, 8 groups of 7 x 7 taps take registers from the producer's
    // warpgroup. They were not measured where the bias has sums too.
    auto const wide =
        problem_of("n=128 c=192 h=28 w=28 r=7 s=7 pad_h=3 pad_w=3 bias=true pass=wgrad");
    for (auto const& candidate : conv2d::candidates(wide, sm_90a)) {
        auto const* const config = std::get_if<conv2d::wgrad_tma::config>(&candidate.config);
        CHECK((config == nullptr || config->groups < 8 || config->mma_tiles() == 1));
    }
}

TEST_CASE(
    "the model chooses a candidate that it predicts to be among the fastest, in every thread") {
    std::size_t model_choices = 0;
    for (auto const& problem : problems()) {
        CAPTURE(text_of(problem));
        auto const ranking = conv2d::rank(problem, sm_90a);
        REQUIRE(ranking.refusal.empty());
        // The choice comes first. The others follow by their times, of which none is more than 10 %
        // below its own: a candidate that falls back after the model's first trees is not chosen,
        // even if the later ones would make it the fastest.
        auto const others = std::span(ranking.configs).subspan(1);
        CHECK(std::ranges::is_sorted(others, {}, &conv2d::ranked_config::predicted));
        for (auto const& other : others) {
            CHECK(ranking.configs.front().predicted <= 1.1 * other.predicted);
        }
        auto const chosen = conv2d::choose(problem, sm_90a);
        auto const text = conv2d::config_text(chosen.config);
        std::string other;
        std::jthread([&] { other = text_of_choice(problem, sm_90a); }).join();
        CHECK(text == other);
        CHECK(text == text_of_choice(problem, sm_90a)); // the choice of this thread, kept
        CHECK(chosen.refusal.empty() == (chosen.origin == config_origin::model));
        if (chosen.origin != config_origin::model) continue;
        ++model_choices;
        CHECK(text == conv2d::config_text(ranking.configs.front().config));
    }
    CHECK(model_choices > problems().size() / 2);
}

TEST_CASE("the model chooses for dgrad with strides by TMA too, not the family") {
    auto const problem = problem_of("n=32 c=256 h=28 w=28 stride_h=2 stride_w=2 pass=dgrad");
    CHECK(conv2d::tma::config::has_gaps(problem));
    CHECK(conv2d::choose(problem, sm_90a).origin == config_origin::model);
}

TEST_CASE("where all blocks begin while other kernels run, a small layer takes TMA") {
    // One block computes an image here, and at most 224 blocks begin so.
    conv2d::tma::config const tiles = {
        .groups = 4, .images = 1, .columns = 16, .rows = 14, .tiles_per_block = 1, .blocks = 1};
    CHECK(tiles.prefetches(problem_of("n=224 c=32 h=14 w=14")));
    CHECK(!tiles.prefetches(problem_of("n=225 c=32 h=14 w=14")));
    // cp_async, which the model predicts to be faster for the first, takes 3.9 us on an H200, and
    // this 1.9. Of the second, more blocks take 3.4 us, and these 2.9.
    for (auto const* const words :
         {"n=1 c=672 h=14 w=14 r=5 s=5 pad_h=2 pad_w=2", "n=16 c=152 h=14 w=14"}) {
        auto const problem = problem_of(words);
        auto const chosen = conv2d::choose(problem, sm_90a);
        auto const* const config = std::get_if<conv2d::tma::config>(&chosen.config);
        REQUIRE(config != nullptr);
        CHECK(config->prefetches(problem));
        CHECK(chosen.origin == config_origin::model);
    }
}

TEST_CASE("for a chip without a model, a problem out of its range and a generic kernel, the "
          "family's estimate chooses") {
    auto const problem = problem_of("n=32 c=64 h=56 w=56");
    CHECK(conv2d::has_model(sm_90a));
    for (arch const arch : {sm_80, sm_86, sm_89, compute_80, host_arch}) {
        CHECK(!conv2d::has_model(arch));
        auto const chosen = conv2d::choose(problem, arch);
        CHECK(chosen.origin == config_origin::family);
        CHECK(chosen.refusal.starts_with("there is no model for "));
        CHECK(conv2d::config_text(chosen.config) == text_of_estimate(problem, arch));
        CHECK(conv2d::rank(problem, arch).configs.empty());
    }
    auto const huge = problem_of("n=100000 c=64 h=56 w=56");
    auto const chosen = conv2d::choose(huge, sm_90a);
    CHECK(chosen.origin == config_origin::family);
    CHECK(chosen.refusal == "the model was not trained for such a value of log_n");
    CHECK(conv2d::config_text(chosen.config) == text_of_estimate(huge, sm_90a));
    CHECK(conv2d::choose(conv2d::generic_problem(problem), sm_90a).origin == config_origin::family);
    CHECK(conv2d::choose(problem, sm_90a).origin == config_origin::model);
    for (std::string const field : {"residual=true", "pass=dgrad activation=silu"}) {
        auto const other = problem_of("n=32 c=64 h=56 w=56 " + field);
        CHECK(conv2d::choose(other, sm_90a).refusal ==
              "the model was not trained for a second tensor");
    }
}

TEST_CASE("with an activation and a scale, the model chooses what it does without them") {
    for (std::string const words : {"n=8 c=72 h=28 w=28 r=5 s=5 pad_h=2 pad_w=2",
                                    "n=16 c=56 h=28 w=28 bias=true", "n=256 c=16 h=112 w=112"}) {
        auto const plain = conv2d::choose(problem_of(words), sm_90a);
        auto const problem = problem_of(words + " activation=silu scale=true");
        auto const chosen = conv2d::choose(problem, sm_90a);
        CHECK(chosen.origin == config_origin::model);
        CHECK(conv2d::config_text(chosen.config) == conv2d::config_text(plain.config));
        CHECK(conv2d::config_text(conv2d::rank(problem, sm_90a).configs.front().config) ==
              conv2d::config_text(plain.config));
    }
}

TEST_CASE("a measurement comes before the model") {
    auto const problem = problem_of("n=32 c=64 h=56 w=56");
    std::string const tuned =
        "cp_async groups=4 images=1 columns=16 rows=8 mma_tiles=1 stages=3 blocks=2 unrolled=false";
    config_source configs;
    configs.add(config_origin::tuned, [&](config_query const&) { return std::optional(tuned); });
    auto const chosen = conv2d::choose(problem, sm_90a, configs);
    CHECK(chosen.origin == config_origin::tuned);
    CHECK(conv2d::config_text(chosen.config) == tuned);
    CHECK(conv2d::choose(problem, sm_90a, config_source()).origin == config_origin::model);
}

TEST_CASE("wrong problems are refused by the choice, again and again") {
    auto problem = problem_of("n=32 c=64 h=56 w=56");
    problem.c = 12;
    for (int i = 0; i < 2; ++i) {
        CHECK_THROWS_AS(conv2d::choose(problem, sm_90a), spio::error);
        CHECK_THROWS_AS(conv2d::candidates(problem, sm_90a), spio::error);
        CHECK_THROWS_AS(conv2d::rank(problem, sm_90a), spio::error);
    }
}
