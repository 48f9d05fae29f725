// What each family lists, estimates and chooses for drawn problems, beside what was recorded.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a problem; a family lists those that fit, estimates their
// times and chooses one. Only measurements on a GPU tell whether a change of estimates is a gain;
// this test tells that there is a change. choices.txt has a line for each problem: how many
// configurations are listed, a digest of their texts and estimated times, and what is chosen. To
// change them on purpose, record the file and commit it:
//     SPIO_RECORD_CHOICES=tests/spec/choices.txt build/ci/tests/spec/test_spec -tc="*recorded*"
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

import spio.axpby;
import spio.conv2d;
import spio.layernorm_2d;
import spio.matmul;
import spio.spec;

using namespace spio;

namespace {

// A digest (FNV-1a) of words and numbers; of a number the four leading digits count.
class digest {
  public:
    void add(std::string_view text) {
        for (unsigned char const byte : text) value_ = (value_ ^ byte) * 0x100000001b3;
        value_ = (value_ ^ 0xff) * 0x100000001b3;
        ++count_;
    }
    void add(double number) { add(spelled(number)); }
    static std::string spelled(double number) {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", number);
        return text;
    }
    std::string text() const {
        char text[48];
        std::snprintf(text, sizeof text, "%d %012llx", count_,
                      static_cast<unsigned long long>(value_ & 0xffffffffffff));
        return text;
    }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325;
    int count_ = 0;
};

// Draws numbers, small ones as often as large ones.
class drawer {
  public:
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    int size(int most) {
        int const bits = 1 + below(31 - __builtin_clz(static_cast<unsigned>(most)));
        return 1 + below(std::min(most, 1 << bits));
    }

  private:
    std::mt19937 random_{21};
};
constexpr arch archs[] = {sm_90a, sm_80, sm_86, sm_89, host_arch, compute_80};

std::string line_of(conv2d::problem const& problem, arch arch) {
    digest listed, tried, generic;
    for (auto const& config : conv2d::space(problem, arch)) {
        auto const estimate = conv2d::explain(problem, config, arch);
        listed.add(conv2d::config_text(config) + " " + estimate.explained());
        listed.add(estimate.microseconds);
        listed.add(static_cast<double>(conv2d::grid(problem, config).count()));
    }
    for (auto const& [config, estimate] : conv2d::candidates(problem, arch)) {
        tried.add(conv2d::config_text(config));
        tried.add(estimate.microseconds);
    }
    if (conv2d::has_generic(problem)) {
        auto const made_for = conv2d::generic_problem(problem);
        for (auto const& config : conv2d::generic_configs(made_for, arch)) {
            generic.add(conv2d::config_text(config));
        }
        generic.add(conv2d::config_text(conv2d::best_config(made_for, arch)));
    }
    return "conv2d " + text_of(problem) + " for " + text_of(arch) + ": " + listed.text() + ", " +
           tried.text() + ", " + generic.text() + ", " +
           conv2d::config_text(conv2d::choose(problem, arch).config);
}

std::string line_of(matmul::problem const& problem, arch arch) {
    digest listed, of_bodies;
    auto const add = [&](digest& target, std::vector<matmul::config> const& configs) {
        for (auto const& config : configs) {
            auto const estimate = matmul::explain(problem, config, arch);
            target.add(matmul::config_text(config) + " " + estimate.explained());
            target.add(estimate.microseconds);
            target.add(static_cast<double>(
                matmul::grid({problem.m, problem.n, problem.k, problem.batch}, config, arch)
                    .count()));
        }
    };
    add(listed, matmul::space(problem, arch));
    for (auto const body : {matmul::body::wgmma, matmul::body::cp_async}) {
        add(of_bodies, matmul::space(problem, arch, body));
    }
    return "matmul " + text_of(problem) + " for " + text_of(arch) + ": " + listed.text() + ", " +
           of_bodies.text() + ", " + matmul::config_text(matmul::best_config(problem, arch));
}

std::vector<std::string> lines() {
    std::vector<std::string> result;
    drawer draw;
    for (int i = 0; i < 60; ++i) {
        conv2d::problem problem = {.n = draw.size(256),
                                   .c = 8 * draw.size(128),
                                   .h = 7 + draw.size(100),
                                   .w = 7 + draw.size(100)};
        problem.pass = static_cast<conv2d::direction>(i % 3);
        problem.r = 1 + draw.below(7);
        problem.s = 1 + draw.below(7);
        problem.pad_h = draw.below(problem.r);
        problem.pad_w = draw.below(problem.s);
        if (i % 4 == 0) problem.stride_h = problem.stride_w = 2;
        if (i % 5 == 0) problem.dilation_h = problem.dilation_w = 2;
        if (i % 7 == 0) problem.made_for = conv2d::known_sizes::any_n;
        problem.bias = problem.pass != conv2d::direction::dgrad && i % 2 == 0;
        problem.h += problem.extent_h();
        problem.w += problem.extent_w();
        result.push_back(line_of(problem, archs[i / 3 % 6]));
    }
    for (int i = 0; i < 60; ++i) {
        matmul::problem problem = {
            .m = draw.size(8192), .n = draw.size(8192), .k = draw.size(8192)};
        problem.batch = i % 6 == 0 ? 1 + draw.below(8) : 1;
        problem.residual = i % 4 == 1;
        if (i % 2 == 0) problem.m = (problem.m + 7) / 8 * 8, problem.n = (problem.n + 7) / 8 * 8;
        if (i % 2 == 0) problem.k = (problem.k + 7) / 8 * 8;
        problem.alignment = i % 2 == 0 ? 16 : 2;
        problem.result = i % 3 == 0 ? matmul::result_type::fp32 : matmul::result_type::bf16;
        result.push_back(line_of(problem, archs[i / 2 % 6]));
    }
    for (int channels = 8; channels <= 2048; channels += channels < 256 ? 8 : 56) {
        auto const config = layernorm_2d::best_config({.channels = channels});
        result.push_back("layernorm_2d channels=" + std::to_string(channels) + ": " +
                         text_of(config) + ", " + std::to_string(config.shared_bytes()) + ", " +
                         std::to_string(layernorm_2d::grid(config, 10007).x));
    }
    for (int n = 1; n < 1 << 30; n *= 3) {
        result.push_back("axpby n=" + std::to_string(n) + ": " +
                         text_of(axpby::best_config({.n = n})));
    }
    return result;
}

} // namespace

TEST_CASE("configurations are listed, estimated and chosen as they were recorded") {
    auto const found = lines();
    if (char const* const name = std::getenv("SPIO_RECORD_CHOICES")) {
        std::ofstream file(name);
        for (auto const& line : found) file << line << '\n';
    }
    std::ifstream file(SPIO_CHOICES);
    std::string recorded;
    std::size_t number = 0;
    for (; std::getline(file, recorded); ++number) {
        CHECK((number < found.size() ? found[number] : "no line") == recorded);
    }
    CHECK(number == found.size());
    std::cout << "summary: spec.choices: " << number << " problems as recorded\n";
}
