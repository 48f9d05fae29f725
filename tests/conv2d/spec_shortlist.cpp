// The candidates that a learned model chooses among: which are listed, which compute the same bits.
// SPDX-License-Identifier: Apache-2.0
//
// A candidate is a configuration with its estimated time. fprop, dgrad and wgrad are the forward
// pass and the gradients of input and filter; tma and cp_async are the kernel templates of the
// first two. An mma tile is 16 columns, which one instruction of the tensor cores takes.
#include <doctest/doctest.h>

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_tma.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

import spio.conv2d;
import spio.spec;

using namespace spio;

namespace {

// Problems of fprop and dgrad, with strides, dilations, narrow and wide images.
std::vector<conv2d::problem> problems() {
    std::vector<conv2d::problem> list;
    for (std::string const pass : {"fprop", "dgrad"}) {
        for (std::string const words :
             {"n=8 c=256 h=28 w=28", "n=256 c=24 h=56 w=56", "n=1 c=8 h=7 w=7",
              "n=64 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3",
              "n=32 c=240 h=28 w=28 stride_h=2 stride_w=2",
              "n=512 c=1152 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2",
              "n=4 c=64 h=40 w=20 dilation_h=2 dilation_w=2",
              "n=3 c=40 h=130 w=9 r=1 s=7 pad_h=0 pad_w=3 made_for=any_image",
              "n=100 c=96 h=14 w=14 made_for=any_n"}) {
            list.push_back(parse<conv2d::problem>("conv2d", words + " pass=" + pass));
        }
    }
    return list;
}

} // namespace

TEST_CASE(
    "the model chooses among twenty candidates, or all that are estimated to be near the best") {
    constexpr std::size_t most_predicted = 20;
    for (auto const& problem : problems()) {
        CAPTURE(text_of(problem));
        // Where TMA starts early, cp_async is left out: then the bound is that of TMA's candidates.
        auto const ranking = conv2d::rank(problem, sm_90a).configs;
        auto const is_tma = [](auto const& c) { return conv2d::needs_maps(c.config); };
        bool const has_tma_alone = std::ranges::all_of(ranking, is_tma);
        auto list = conv2d::candidates(problem, sm_90a);
        if (has_tma_alone) std::erase_if(list, [&](auto const& c) { return !is_tma(c); });
        // A model that was not trained with kernels that copy rows is offered none.
        auto const has_rows = [](auto const& c) {
            auto const* const tma = std::get_if<conv2d::tma::config>(&c.config);
            return tma != nullptr && tma->whole_rows;
        };
        if (std::ranges::none_of(ranking, has_rows)) std::erase_if(list, has_rows);
        double least = list.front().expected.microseconds;
        for (auto const& c : list) least = std::min(least, c.expected.microseconds);
        std::map<std::string, double> near;
        for (auto const& c : list) {
            if (c.expected.microseconds <= 1.7 * least) {
                near[conv2d::config_text(c.config)] = c.expected.microseconds;
            }
        }
        CHECK(ranking.size() >= std::min(most_predicted, near.size()));
        CHECK(ranking.size() <= near.size());
        for (auto const& c : ranking) {
            auto const found = near.find(conv2d::config_text(c.config));
            REQUIRE(found != near.end());
            CHECK(c.expected.microseconds == found->second);
        }
    }
}

TEST_CASE("likely candidates are those of which a model predicts the times") {
    auto const texts = [](auto const& list) {
        std::vector<std::string> found;
        for (auto const& each : list) found.push_back(conv2d::config_text(each.config));
        std::ranges::sort(found);
        return found;
    };
    for (std::string const words : {"n=8 c=256 h=28 w=28", "n=256 c=64 h=56 w=56"}) {
        auto const problem = parse<conv2d::problem>("conv2d", words);
        auto const list = conv2d::likely_candidates(problem, sm_90a);
        CHECK(list.size() >= 20);
        CHECK(texts(list) == texts(conv2d::rank(problem, sm_90a).configs));
    }
}

TEST_CASE("of wgrad, a model also predicts half as many stages, or the other number of warps") {
    auto const predicted = [](std::string const& words, std::string const& text) {
        auto const problem = parse<conv2d::problem>("conv2d", words + " pass=wgrad");
        auto const ranking = conv2d::rank(problem, sm_90a).configs;
        auto const is_it = [&](auto const& c) { return conv2d::config_text(c.config) == text; };
        return std::pair(std::ranges::any_of(ranking, is_it), ranking.front().config);
    };
    auto const text = [](auto const& config) { return conv2d::config_text(config); };
    unsigned shorter_rings = 0, other_parts = 0;
    for (std::string const words :
         {"n=256 c=72 h=28 w=28", "n=64 c=56 h=28 w=28",
          "n=16 c=96 h=56 w=56 r=7 s=7 pad_h=3 pad_w=3",
          "n=8 c=360 h=7 w=7 r=5 s=5 pad_h=2 pad_w=2", "n=64 c=16 h=112 w=112"}) {
        CAPTURE(words);
        auto const first = predicted(words, "").second;
        auto const* const chosen = std::get_if<conv2d::wgrad_tma::config>(&first);
        if (chosen == nullptr) continue;
        auto shorter = *chosen, longer = *chosen, other = *chosen;
        shorter.stages /= 2, longer.stages *= 2;
        other.parts = 3 - chosen->parts;
        shorter_rings += predicted(words, text(conv2d::config(shorter))).first ||
                         predicted(words, text(conv2d::config(longer))).first;
        other_parts += predicted(words, text(conv2d::config(other))).first;
    }
    CHECK(shorter_rings > 1);
    CHECK(other_parts > 1);
}

TEST_CASE("of cp_async's strips that are wider than an mma tile, warps take two") {
    for (auto const& problem : problems()) {
        for (auto const& candidate : conv2d::candidates(problem, sm_90a)) {
            auto const* const config = std::get_if<conv2d::cp_async::config>(&candidate.config);
            if (config == nullptr) continue;
            CHECK(config->mma_tiles == (config->columns_of_images() > 16 ? 2 : 1));
        }
    }
}

TEST_CASE("of large layers with an odd number of groups, a model chooses blocks of eight groups") {
    auto const has_fewer = [](std::string const& words) {
        auto const problem = parse<conv2d::problem>("conv2d", words);
        return std::ranges::any_of(conv2d::rank(problem, sm_90a).configs, [](auto const& ranked) {
            auto const* const config = std::get_if<conv2d::tma::config>(&ranked.config);
            return config != nullptr && config->groups < 8;
        });
    };
    std::string const five = " h=28 w=28 r=5 s=5 pad_h=2 pad_w=2", three = " h=28 w=28";
    for (std::string const pass : {" pass=fprop", " pass=dgrad"}) {
        CHECK(!has_fewer("n=256 c=120" + five + pass));
        CHECK(!has_fewer("n=256 c=120" + three + pass));
        CHECK(has_fewer("n=32 c=120" + five + pass));  // 12 MB
        CHECK(has_fewer("n=256 c=128" + five + pass)); // 16 groups
        CHECK(has_fewer("n=512 c=72" + five + pass));  // nine: seven of 16 warps would be idle
        CHECK(has_fewer("n=256 c=120 h=28 w=28 r=7 s=7 pad_h=3 pad_w=3" + pass));
    }
}

TEST_CASE("configurations of a body add in the same order, but for pairs of rows") {
    auto const config = [](std::string const& text) { return conv2d::parse_config(text); };
    std::string const more = " rows=4 tiles_per_block=1 blocks=2";
    auto const narrow = config("tma groups=4 images=1 columns=16" + more);
    auto const images = config("tma groups=2 images=2 columns=8" + more);
    auto const wide = config("tma groups=4 images=1 columns=32" + more);
    auto const copied =
        config("cp_async groups=4 images=1 columns=16 rows=4 mma_tiles=1 stages=2 blocks=2");
    for (std::string const pass : {"fprop", "dgrad"}) {
        auto const layer =
            spio::parse<conv2d::problem>("conv2d", "n=8 c=64 h=28 w=28 pass=" + pass);
        auto const seven = spio::parse<conv2d::problem>(
            "conv2d", "n=8 c=64 h=28 w=28 r=7 s=7 pad_h=3 pad_w=3 pass=" + pass);
        CHECK(conv2d::have_same_order(layer, narrow, images));
        CHECK(conv2d::have_same_order(layer, narrow, wide));
        CHECK(!conv2d::have_same_order(layer, narrow, copied));
        CHECK(conv2d::have_same_order(seven, narrow, images));
        CHECK(!conv2d::have_same_order(seven, narrow, wide));
        CHECK(!conv2d::have_same_order(seven, copied, wide));
    }
    auto const gradient = spio::parse<conv2d::problem>("conv2d", "n=8 c=64 h=28 w=28 pass=wgrad");
    auto const list = conv2d::candidates(gradient, sm_90a);
    CHECK(conv2d::have_same_order(gradient, list[0].config, list[0].config));
    CHECK(!conv2d::have_same_order(gradient, list[0].config, list[1].config));
}

TEST_CASE("a ranking without configurations says why there are none") {
    auto const ranking_of = [](std::string const& words, arch arch) {
        return conv2d::rank(parse<conv2d::problem>("conv2d", words), arch);
    };
    CHECK(ranking_of("n=8 c=64 h=56 w=56", sm_90a).refusal.empty());
    CHECK(ranking_of("n=8 c=64 h=56 w=56", sm_80).configs.empty());
    CHECK(ranking_of("n=8 c=64 h=56 w=56", sm_80).refusal == "there is no model for A100");
    // More blocks than a launch may have.
    CHECK(ranking_of("n=2147483647 c=2147483640 h=1 w=1", sm_90a).configs.empty());
    CHECK(ranking_of("n=2147483647 c=2147483640 h=1 w=1", sm_90a).refusal ==
          "it has no candidates");
}
