// Kernels of axpby and LayerNorm as problems specialize them: symbols, texts, shapes, references.
// SPDX-License-Identifier: Apache-2.0
//
// A family is the kernels of one operation. A spec is what a kernel is compiled from: its text for
// a problem, a configuration and an architecture; its line is the family and the problem. A
// config_source finds measured configurations; without one the family chooses. A config_query is a
// problem of a family, for an architecture, that needs a configuration. A typed_spec is a spec with
// the type of its parameters.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

import spio.axpby;
import spio.families;
import spio.layernorm_2d;
import spio.spec;

using namespace spio;

namespace {

// The error that f throws, or "none".
std::string refusal(std::function<void()> const& f) {
    try {
        f();
    } catch (spio::error const& e) {
        return e.what();
    }
    return "none";
}

family const two_families[] = {axpby::family_entry(), layernorm_2d::family_entry()};

} // namespace

// A family as a project writes its own: ramp, whose kernels count up.
namespace ramp {

struct problem {
    int n;
};
struct config {
    int threads;
};
struct params {
    float* y;
};
std::span<header const> kernel_text() { return {}; }

} // namespace ramp

template <> struct spio::field_table<ramp::problem> {
    static constexpr auto fields = std::tuple(field{"n", &ramp::problem::n, {.least = 1}});
};
template <> struct spio::field_table<ramp::config> {
    static constexpr auto fields = std::tuple(field{"threads", &ramp::config::threads});
};

namespace ramp {

typed_spec<params> specialize(problem const& problem, arch arch) {
    return specialized<params>(specialization_of("ramp", problem, arch, {.block = {64}},
                                                 kernel_text(), config{.threads = 64}),
                               [problem](params const& params) {
                                   check_launch(params.y != nullptr, "ramp", problem,
                                                "y must be an array");
                                   return extent{problem.n};
                               });
}
// Of a kernel that has no configuration.
typed_spec<params> specialize_plainly(problem const& problem, arch arch) {
    return specialized<params>(
        specialization_of("ramp", problem, arch, {.block = {32}}, kernel_text()));
}

} // namespace ramp

TEST_CASE("the text of a specialization is one kernel with one call") {
    auto const spec = axpby::specialize({.n = 1000}, {.threads = 96, .vectors = 2}, sm_80);
    CHECK(spec.line() == "axpby n=1000");
    CHECK(spec.config == "threads=96 vectors=2");
    CHECK(spec.symbol.starts_with("axpby_96x2_"));
    CHECK(spec.source == "#include \"axpby/axpby.cuh\"\n\nextern \"C\" __global__ void " +
                             spec.symbol +
                             "(__grid_constant__ spio::axpby::params const p) {\n"
                             "    spio::axpby::run<spio::axpby::config{.threads = 96, .vectors = "
                             "2}>(p);\n}\n");
    CHECK(spec.shape == block_shape{.block = {96}});
    CHECK(spec.params_bytes == sizeof(axpby::params));
    CHECK(axpby::grid({.threads = 96, .vectors = 2}, 769) == extent{2});
    CHECK(axpby::grid({.threads = 96, .vectors = 2}, 0) == extent{1});
}

TEST_CASE("a family of a project's own is one call of run in the namespace of its name") {
    static constexpr family entry = family_of<"ramp", ramp::specialize>(ramp::kernel_text);
    auto const specs = specs_of_line("ramp n=7", {&entry, 1}, sm_90a);
    REQUIRE(specs.size() == 1);
    auto const& spec = specs[0];
    CHECK(spec.line() == "ramp n=7");
    CHECK(spec.config == "threads=64");
    CHECK(spec.symbol.starts_with("ramp_"));
    CHECK(spec.source == "#include \"ramp/ramp.cuh\"\n\nextern \"C\" __global__ void " +
                             spec.symbol +
                             "(__grid_constant__ ramp::params const p) {\n"
                             "    ramp::run<ramp::problem{.n = 7}, ramp::config{.threads = 64}>"
                             "(p);\n}\n");
    CHECK(spec.shape == block_shape{.block = {64}});
    CHECK(spec.params_bytes == sizeof(ramp::params));
    auto const grid = ramp::specialize({.n = 65}, sm_80).grid;
    float y;
    CHECK(grid({&y}) == extent{65});
    CHECK(refusal([&] { grid({nullptr}); }) == "launch for ramp n=65: y must be an array");
    auto plain = ramp::specialize_plainly({.n = 7}, sm_80);
    CHECK(plain.config.empty());
    CHECK(plain.source.find("ramp::run<ramp::problem{.n = 7}>(p)") != std::string::npos);
    plain.problem.clear();
    CHECK(plain.line() == "ramp");
    CHECK(refusal([&] { specs_of_line("ramp n=0", {&entry, 1}, sm_90a); }) ==
          "check for ramp n=0: n is 0, but must be at least 1");
    CHECK(refusal([&] {
              specs_of_line("ramp m=1", {&entry, 1}, sm_90a);
          }).find("there is no field 'm'") != std::string::npos);
}

TEST_CASE("the symbol depends on the text alone, not on the architecture or sizes of a launch") {
    auto const small_spec = axpby::specialize({.n = 1000}, sm_80);
    CHECK(small_spec.symbol == axpby::specialize({.n = 1001}, sm_90a).symbol);
    CHECK(small_spec.symbol != axpby::specialize({.n = 1 << 30}, sm_80).symbol);

    std::set<std::string> symbols;
    int count = 0;
    for (int channels = 8; channels <= 2048; channels += 8) {
        for (bool const affine : {false, true}) {
            auto const spec = layernorm_2d::specialize({channels, affine}, sm_90a);
            symbols.insert(spec.symbol);
            ++count;
            REQUIRE(spec.shape.block.x <= 1024);
            // Parsing the line that a specification prints gives the same specification.
            auto const reparsed = specs_of_line(spec.line(), two_families, sm_90a);
            REQUIRE(reparsed.size() == 1);
            REQUIRE(reparsed[0].symbol == spec.symbol);
            REQUIRE(reparsed[0].source == spec.source);
        }
    }
    CHECK(symbols.size() == static_cast<std::size_t>(count));
    std::cout << "summary: spec.layernorm_2d: " << count << " problems, " << symbols.size()
              << " symbols, the same again from their lines\n";
}

TEST_CASE("wrong problems, configurations and architectures are refused by name") {
    auto const line = [](std::string_view text) {
        return refusal([&] { specs_of_line(text, two_families, sm_80); });
    };
    CHECK(line("axpby n=-1") == "check for axpby n=-1: n is -1, but must be at least 0");
    CHECK(line("conv3d n=1") ==
          "read for 'conv3d n=1': there is no family 'conv3d'; the families are axpby, "
          "layernorm_2d");
    CHECK(line("") == "read for '': there is no family ''; the families are axpby, layernorm_2d");
    CHECK(refusal([] { axpby::specialize({.n = 1}, arch()); }) ==
          "specialize for axpby n=1: there is no architecture to specialize it for");
    for (auto const* const text : {"80", "", "sm_", "sm_8", "sm80", "sm_90b", "gpu", "sm_0990"}) {
        CHECK(!find_arch(text));
    }
    CHECK(refusal([] { parse_arch("80"); }) ==
          "parse for an architecture: '80' is no architecture such as sm_80, sm_90a, compute_80 or "
          "host");
    for (auto const* const text : {"sm_80", "sm_90a", "sm_100f", "compute_80", "host"}) {
        CHECK(text_of(parse_arch(text)) == text);
    }
    CHECK(text_of(arch()).empty());
    CHECK(refusal([] { layernorm_2d::specialize({.channels = 12}, sm_80); }) ==
          "check for layernorm_2d channels=12 affine=true: channels is 12, but must be at least 8, "
          "at most 2048, a multiple of 8");
    CHECK(
        refusal([] {
            layernorm_2d::specialize(
                {64}, {.lanes = 3, .vectors = 1, .positions = 1, .stages = 1, .rounds = 1}, sm_80);
        }) ==
        "specialize for layernorm_2d channels=64 affine=true: the configuration lanes=3 vectors=1 "
        "positions=1 stages=1 rounds=1 does not fit: lanes is 3, but must be a power of two up to "
        "32, or for one position a multiple of 32");
    CHECK(refusal([] {
              layernorm_2d::specialize(
                  {64}, {.lanes = 32, .vectors = 16, .positions = 32, .stages = 8, .rounds = 1},
                  sm_80);
          }).find("bytes of shared memory, of at most 232448") != std::string::npos);
}

TEST_CASE("the references compute axpby and LayerNorm in double") {
    std::vector<float> const x = {1, 2, 3}, y = {4, 5, 6};
    CHECK(axpby::reference(2, x, -1, y) == std::vector<double>{-2, -1, 0});
    CHECK_THROWS_AS(axpby::reference(2, x, -1, std::vector<float>{1}), spio::error);

    // The bits of halves: 1, a number, the least subnormal one, and NaN; then 1 and -1.
    CHECK(layernorm_2d::number_of(0x3c00) == 1);
    CHECK(layernorm_2d::number_of(0xc248) == -3.140625);
    CHECK(layernorm_2d::number_of(0x0001) == std::ldexp(1, -24));
    CHECK(std::isnan(layernorm_2d::number_of(0x7c01)));
    std::vector<unsigned short> const halves = {0x3c00, 0xbc00, 0x3c00, 0xbc00,
                                                0x3c00, 0xbc00, 0x3c00, 0xbc00};
    std::vector<float> const weight(8, 3), bias(8, 1);
    auto const result =
        layernorm_2d::reference({.channels = 8}, halves, weight, bias, /*epsilon=*/0);
    CHECK(result == std::vector<double>{4, -2, 4, -2, 4, -2, 4, -2});
    CHECK_THROWS_AS(
        layernorm_2d::reference({.channels = 8}, halves, /*weight=*/{}, /*bias=*/{}, /*epsilon=*/0),
        spio::error);
}

TEST_CASE("a family embeds every header of its folder") {
    namespace fs = std::filesystem;
    for (auto const& family : families()) {
        std::size_t count = 0;
        for (auto const& file : fs::directory_iterator(fs::path(SPIO_KERNELS) / family.name)) {
            auto const name = std::string(family.name) + "/" + file.path().filename().string();
            std::ifstream stream(file.path(), std::ios::binary);
            std::string const text(std::istreambuf_iterator<char>(stream), {});
            auto const headers = family.headers();
            auto const found = std::ranges::find(headers, name, &header::name);
            CAPTURE(name);
            REQUIRE(found != headers.end());
            CHECK(found->text == text);
            ++count;
        }
        CHECK(family.headers().size() == count);
    }
}

TEST_CASE("a configuration comes from the first source that has one, else from the family") {
    config_source configs;
    configs.add(config_origin::tuned, [](config_query const& query) -> std::optional<std::string> {
        if (query.family == "axpby" && query.problem == "n=1000") return "threads=96 vectors=2";
        return {};
    });
    configs.add(config_origin::model, [](config_query const& query) -> std::optional<std::string> {
        if (query.family == "axpby") return "threads=64 vectors=3";
        return {};
    });
    CHECK(configs.find({"axpby", "n=1000", sm_80})->origin == config_origin::tuned);
    CHECK(configs.find({"axpby", "n=7", sm_80})->origin == config_origin::model);
    CHECK(!configs.find({"layernorm_2d", "channels=64 affine=true", sm_80}));
    CHECK(axpby::specialize({.n = 1000}, sm_80, configs).config == "threads=96 vectors=2");
    CHECK(specs_of_line("axpby n=7", two_families, sm_80, configs)[0].config ==
          "threads=64 vectors=3");
    CHECK(specs_of_line("axpby n=7", two_families, sm_80)[0].config == "threads=256 vectors=1");
}
