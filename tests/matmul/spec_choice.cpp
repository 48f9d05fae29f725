// The choice of configurations of matrix products by a learned model, and where it is not asked.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a product. A learned model predicts the time of those of
// the body wgmma; where there is none for the chip, or the product is outside of its range, the
// family's own estimate chooses. A family is the kernels of one operation. A config_source finds
// measured configurations; without one the family chooses. A config_query is a problem of a family,
// for an architecture, that needs a configuration.
#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

import spio.matmul;
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

// A line of model_values.txt: a model, a problem, a configuration, and the bits of the value.
struct expected_value {
    std::string problem, config, bits;
};
std::vector<expected_value> expected_values() {
    std::vector<expected_value> values;
    auto const text = text_in("/tests/matmul/model_values.txt");
    constexpr std::string_view bar = " | ";
    for (std::string_view rest = text; !rest.empty();) {
        auto const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        if (line.starts_with('#')) continue;
        auto const first = line.find(bar), second = line.find(bar, first + 1),
                   third = line.find(bar, second + 1);
        REQUIRE(third != line.npos);
        CHECK(line.substr(0, first) == "matmul wgmma");
        values.push_back({std::string(line.substr(first + 3, second - first - 3)),
                          std::string(line.substr(second + 3, third - second - 3)),
                          std::string(line.substr(third + 3))});
    }
    return values;
}

matmul::problem product_of(int m, int n, int k) {
    return {.m = m, .n = n, .k = k, .b = matmul::order::columns};
}
// The configuration that the family's estimate finds fastest.
std::string text_of_estimate(matmul::problem const& problem, arch arch) {
    return matmul::config_text(matmul::space(problem, arch).front());
}

} // namespace

TEST_CASE("the library computes the bits of XGBoost for products that no tree was trained on") {
    auto const text = text_in("/models/matmul_wgmma.txt");
    CHECK(text.size() <= 300 * 1024);
    auto const table = model::forest::parse(text, "wgmma");
    auto const values = expected_values();
    CHECK(values.size() >= 100);
    for (auto const& [words, config_words, bits] : values) {
        CAPTURE(words);
        CAPTURE(config_words);
        auto const problem = parse<matmul::problem>("matmul", words);
        auto const config = matmul::parse_config(config_words);
        auto const row = matmul::features_of(problem, std::get<matmul::wgmma::config>(config),
                                             matmul::explain(problem, config, sm_90a), sm_90a);
        float value = 0;
        table.predict(row, std::span(&value, 1));
        CHECK(std::bit_cast<std::uint32_t>(value) == std::strtoul(bits.c_str(), nullptr, 16));
    }
}

TEST_CASE("a product has the same choice in every thread, a configuration that fits") {
    std::size_t model_choices = 0, others = 0;
    for (int const m : {16, 200, 1024, 5000}) {
        for (int const n : {64, 776, 4096}) {
            for (int const k : {72, 1024, 8192}) {
                auto const problem = product_of(m, n, k);
                CAPTURE(text_of(problem));
                auto const chosen = matmul::choose(problem, sm_90a);
                auto const config = matmul::config_text(chosen.config);
                std::string other;
                std::jthread([&] {
                    other = matmul::config_text(matmul::choose(problem, sm_90a).config);
                }).join();
                CHECK(config == other);
                CHECK(chosen.refusal.empty() == (chosen.origin == config_origin::model));
                CHECK(std::get<matmul::wgmma::config>(chosen.config).fits(problem));
                model_choices += chosen.origin == config_origin::model;
                others += config != text_of_estimate(problem, sm_90a);
            }
        }
    }
    CHECK(model_choices == 36); // all 4 x 3 x 3 products
    CHECK(others > 5);          // the model does not repeat the estimate
}

TEST_CASE("ping-pong is chosen for short k where it was measured to be faster, and nowhere else") {
    auto const is_ping_pong = [](matmul::problem const& problem) {
        auto const chosen = matmul::choose(problem, sm_90a);
        CHECK(chosen.origin == config_origin::model);
        return std::get<matmul::wgmma::config>(chosen.config).ping_pong;
    };
    for (auto const& [m, n, k] : {std::array{8192, 4096, 512},
                                  {8192, 4096, 256},
                                  {4096, 3072, 768},
                                  {8192, 8192, 512},
                                  {16384, 4096, 256}}) {
        CHECK(is_ping_pong(product_of(m, n, k)));
        auto biased = product_of(m, n, k);
        biased.bias = true;
        CHECK(!is_ping_pong(biased));
        CHECK(!is_ping_pong(product_of(m, n, k + 8)));
    }
    for (auto const& [m, n, k] : {std::array{2048, 2048, 2048},
                                  {4096, 4096, 4096},
                                  {8192, 1024, 1024},
                                  {1024, 1024, 512}}) {
        CHECK(!is_ping_pong(product_of(m, n, k)));
    }
}

TEST_CASE("ping-pong has no splits, no second block of an SM, and room for its sums") {
    matmul::wgmma::config config = {.m = 128,
                                    .n = 192,
                                    .stages = 4,
                                    .buffers = 2,
                                    .cluster_m = 1,
                                    .cluster_n = 1,
                                    .band = 1,
                                    .ping_pong = true};
    auto problem = product_of(8192, 4096, 512);
    CHECK(config.fits(problem));
    CHECK(matmul::config_text(matmul::parse_config(matmul::config_text(config))) ==
          "wgmma m=128 n=192 stages=4 buffers=2 cluster_m=1 cluster_n=1 band=1 splits=1 blocks=1 "
          "ping_pong=true");
    CHECK(matmul::explain(problem, config, sm_90a).microseconds > 30);
    problem.residual = true; // needs registers
    CHECK(!config.fits(problem));
    config.n = 128;
    CHECK(config.fits(problem));
    problem.residual = false;
    for (auto const change : {&matmul::wgmma::config::splits, &matmul::wgmma::config::blocks}) {
        auto changed = config;
        changed.stages = 2;
        CHECK(changed.fits(problem));
        changed.*change = 2;
        CHECK(!changed.fits(problem));
    }
    config.n = 208;
    CHECK(!config.fits(problem));
}

TEST_CASE("products for which there is no model are left to the family, with the reason") {
    auto const problem = product_of(512, 512, 512);
    CHECK(matmul::has_model(sm_90a));
    for (arch const arch : {sm_80, sm_86, sm_89, compute_80, host_arch}) {
        CHECK(!matmul::has_model(arch));
        auto const chosen = matmul::choose(problem, arch);
        CHECK(chosen.origin == config_origin::family);
        CHECK(chosen.refusal.starts_with("there is no model for "));
        CHECK(matmul::config_text(chosen.config) == text_of_estimate(problem, arch));
    }
    auto batch = problem;
    batch.batch = 3;
    CHECK(matmul::choose(batch, sm_90a).refusal == "the model was not trained for batches");
    auto unaligned = problem;
    unaligned.alignment = 8;
    CHECK(matmul::choose(unaligned, sm_90a).refusal ==
          "the model was trained for the body wgmma alone");
    auto const huge = matmul::choose(product_of(1 << 20, 512, 512), sm_90a);
    CHECK(huge.origin == config_origin::family);
    CHECK(huge.refusal.starts_with("the model was not trained for such a value of "));
}

TEST_CASE("a measured configuration comes before the model's") {
    auto const problem = product_of(512, 512, 512);
    std::string const measured =
        "wgmma m=64 n=64 stages=4 buffers=2 cluster_m=1 cluster_n=1 band=8";
    config_source configs;
    configs.add(config_origin::tuned, [&](config_query const& query) -> std::optional<std::string> {
        if (query.problem == text_of(problem)) return measured;
        return std::nullopt;
    });
    auto const chosen = matmul::choose(problem, sm_90a, configs);
    CHECK(chosen.origin == config_origin::tuned);
    CHECK(matmul::config_text(chosen.config) ==
          matmul::config_text(matmul::parse_config(measured)));
    CHECK(matmul::choose(product_of(512, 512, 520), sm_90a, configs).origin ==
          config_origin::model);
}

TEST_CASE("a cluster of too many blocks is refused, not counted") {
    matmul::wgmma::config config = {
        .m = 128, .n = 128, .stages = 2, .buffers = 2, .cluster_m = 4, .cluster_n = 4, .band = 1};
    CHECK_THROWS_AS(matmul::concurrent_clusters(config, sm_90a), error);
    config.cluster_n = 2;
    CHECK(matmul::concurrent_clusters(config, sm_90a) == 15); // an H200 holds 15 of 8 blocks
    config.blocks = 2;
    CHECK(matmul::concurrent_clusters(config, sm_90a) == 30);
    for (int const wrong : {0, -1}) {
        config.splits = wrong;
        CHECK_THROWS_AS(matmul::concurrent_clusters(config, sm_90a), error);
    }
}
