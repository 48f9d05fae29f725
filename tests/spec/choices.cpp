// What each family lists, estimates and chooses for drawn problems, compared with a record.
// SPDX-License-Identifier: Apache-2.0
//
// A body is a kernel template. fprop is the forward pass, dgrad and wgrad compute the gradients of
// input and filter. A configuration says how blocks share a problem; a family lists those that fit,
// estimates their times and chooses one. Only measurements on a GPU show whether a change of
// estimates is a gain; this test shows that there is a change. choices.txt has a line for each
// problem: digests of the configurations that are listed, with their estimates, features and
// kernels, and what is chosen. To change them on purpose, record the file and commit it:
//     SPIO_RECORD_CHOICES=tests/spec/choices.txt build/ci/tests/spec/test_spec -tc="*recorded*"
#include "tests/spec/recorded.h"

#include "matmul/wgmma.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <random>
#include <string>
#include <variant>
#include <vector>

import spio.axpby;
import spio.conv2d;
import spio.layernorm_2d;
import spio.matmul;
import spio.spec;

using namespace spio;
using test::digest;

namespace {

// Draws numbers, small ones as often as large ones.
class drawer {
  public:
    // A number from 0 to count - 1.
    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
    // From 1 to `most`, of each number of bits equally often.
    int size(int most) {
        int const bits = 1 + below(31 - __builtin_clz(static_cast<unsigned>(most)));
        return 1 + below(std::min(most, 1 << bits));
    }

  private:
    std::mt19937 random_{21};
};
constexpr arch archs[] = {sm_90a, sm_80, sm_86, sm_89, host_arch, compute_80};

void add(digest& target, conv2d::estimate const& estimate) {
    target.add(estimate.explained());
    for (double const number :
         {estimate.microseconds, estimate.bytes, estimate.traffic, estimate.arithmetic,
          estimate.latency, 1.0 * estimate.blocks_per_sm, estimate.waves}) {
        target.add(number);
    }
}
void add(digest& target, matmul::estimate const& estimate) {
    target.add(estimate.explained());
    for (double const number : {estimate.microseconds, estimate.bytes, estimate.traffic,
                                estimate.arithmetic, estimate.waves}) {
        target.add(number);
    }
}
void add(digest& target, spec const& spec) {
    target.add(spec.spelled() + spec.config + spec.line() + spec.source);
    auto const& shape = spec.shape;
    for (auto const& extent : {shape.block, shape.cluster}) target.add(1.0 * extent.count());
    target.add(shape.shared_bytes);
    target.add(shape.overlaps_previous);
    target.add(static_cast<double>(spec.params_bytes));
}

// Every eighth configuration of a list is specialized, since it takes long.
constexpr std::size_t specialized_step = 8;

// The answer for a problem: digests of the configurations that fit, of those that are considered
// for choice with their features, and of the generic kernels, which are made for any sizes; then
// the choice.
std::string line_of(conv2d::problem const& problem, arch arch) {
    digest listed, tried, generic;
    std::size_t count = 0;
    for (auto const& config : conv2d::space(problem, arch)) {
        listed.add(conv2d::config_text(config));
        add(listed, conv2d::explain(problem, config, arch));
        listed.add(static_cast<double>(conv2d::grid(problem, config).count()));
        if (count++ % specialized_step != 0) continue;
        for (auto const& spec : conv2d::specs_of(problem, config, arch)) add(listed, spec);
        if (problem.pass != conv2d::direction::wgrad) continue;
        auto const reduction = conv2d::reduction(problem, config);
        listed.add(1.0 * reduction.grid.x);
        listed.add(1.0 * reduction.params.splits);
        listed.add(1.0 * reduction.params.groups);
        listed.add(static_cast<double>(reduction.workspace_bytes));
    }
    for (auto const& candidate : conv2d::candidates(problem, arch)) {
        tried.add(conv2d::config_text(candidate.config));
        add(tried, candidate.expected);
        for (float const feature : conv2d::features_of(problem, candidate, arch)) {
            tried.add(static_cast<double>(feature));
        }
    }
    if (conv2d::has_generic(problem)) {
        auto const made_for = conv2d::generic_problem(problem);
        for (auto const& config : conv2d::generic_configs(made_for, arch)) {
            generic.add(conv2d::config_text(config));
            add(generic, conv2d::explain(made_for, config, arch));
            for (auto const& spec : conv2d::specs_of(made_for, config, arch)) add(generic, spec);
        }
        generic.add(conv2d::config_text(conv2d::best_config(made_for, arch)));
    }
    auto const chosen = conv2d::choose(problem, arch);
    return "conv2d " + text_of(problem) + " for " + text_of(arch) + ": " + listed.text() + ", " +
           tried.text() + ", " + generic.text() + ", " + conv2d::config_text(chosen.config) +
           " by " + std::string(name_of(chosen.origin)) + " " + chosen.refusal;
}

std::string line_of(matmul::problem const& problem, arch arch) {
    digest listed, of_bodies;
    auto const add_all = [&](digest& target, std::vector<matmul::config> const& configs) {
        std::size_t count = 0;
        for (auto const& config : configs) {
            auto const estimate = matmul::explain(problem, config, arch);
            target.add(matmul::config_text(config));
            add(target, estimate);
            auto const* const wgmma = std::get_if<matmul::wgmma::config>(&config);
            if (wgmma != nullptr) {
                target.add(matmul::concurrent_clusters(*wgmma, arch));
                for (float const feature : matmul::features_of(problem, *wgmma, estimate, arch)) {
                    target.add(static_cast<double>(feature));
                }
            }
            target.add(static_cast<double>(
                matmul::grid({problem.m, problem.n, problem.k, problem.batch}, config, arch)
                    .count()));
            if (count++ % specialized_step == 0) {
                add(target, matmul::spec_of(problem, config, arch));
            }
        }
    };
    add_all(listed, matmul::space(problem, arch));
    for (auto const body : {matmul::body::wgmma, matmul::body::cp_async}) {
        add_all(of_bodies, matmul::space(problem, arch, body));
    }
    auto const chosen = matmul::choose(problem, arch);
    return "matmul " + text_of(problem) + " for " + text_of(arch) + ": " + listed.text() + ", " +
           of_bodies.text() + ", " + matmul::config_text(chosen.config) + " by " +
           std::string(name_of(chosen.origin)) + " " + chosen.refusal;
}

// Adds what is listed for images with fewer and with more columns than a block has. Of wgrad all
// that is considered has a part.
void add_widths(std::vector<std::string>& lines) {
    int i = 0;
    for (auto const pass :
         {conv2d::direction::fprop, conv2d::direction::dgrad, conv2d::direction::wgrad}) {
        for (int const width : {8, 9, 16, 17, 33, 66, 129, 150, 176, 200}) {
            for (arch const arch : {sm_90a, sm_86}) {
                conv2d::problem problem = {
                    .n = 1 << i % 7, .c = 8 * (1 + i * 7 % 40), .h = 8 + i * 5 % 60, .w = width};
                problem.pass = pass;
                problem.r = 1 + 2 * (i % 4);
                problem.s = 1 + 2 * (i / 3 % 4);
                problem.pad_h = problem.r / 2;
                problem.pad_w = problem.s / 2;
                if (i % 3 == 1) problem.stride_h = problem.stride_w = 2;
                ++i;
                digest listed;
                auto const configs = conv2d::space(problem, arch);
                for (auto const& config : configs) {
                    listed.add(conv2d::config_text(config));
                    add(listed, conv2d::explain(problem, config, arch));
                }
                if (pass == conv2d::direction::wgrad) {
                    for (auto const& candidate : conv2d::candidates(problem, arch)) {
                        listed.add(conv2d::config_text(candidate.config));
                    }
                }
                lines.push_back("conv2d " + text_of(problem) + " for " + text_of(arch) + ": " +
                                listed.text() + ", first " + conv2d::config_text(configs.front()));
            }
        }
    }
}

// The answers for all problems. Each option changes with a period of its own, so that each meets
// the others.
std::vector<std::string> lines() {
    std::vector<std::string> result;
    drawer draw;
    for (int i = 0; i < 72; ++i) {
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
        if (i % 11 == 0) problem.made_for = conv2d::known_sizes::any_image;
        if (i % 2 == 1) problem.type = conv2d::element_type::bf16;
        bool const is_wgrad = problem.pass == conv2d::direction::wgrad;
        if (is_wgrad && i % 4 == 1) problem.gradient = conv2d::precision_of(problem.type);
        if (!is_wgrad && i >= 60) {
            problem.activation = static_cast<conv2d::activation>(i / 3 % 4);
            bool const is_forward = problem.pass == conv2d::direction::fprop;
            problem.scale = is_forward && i % 2 == 0;
            problem.residual = is_forward && i >= 66;
            problem.preactivation = is_forward && i == 66;
        }
        problem.bias = problem.pass != conv2d::direction::dgrad && i % 2 == 0;
        problem.h += problem.extent_h(); // so that the filter fits into the image
        problem.w += problem.extent_w();
        result.push_back(line_of(problem, archs[i / 3 % 6]));
    }
    add_widths(result);
    for (int i = 0; i < 60; ++i) {
        matmul::problem problem = {
            .m = draw.size(8192), .n = draw.size(8192), .k = draw.size(8192)};
        problem.batch = i % 6 == 0 ? 1 + draw.below(8) : 1;
        problem.residual = i % 4 == 1;
        if (i % 2 == 0) problem.m = (problem.m + 7) / 8 * 8, problem.n = (problem.n + 7) / 8 * 8;
        if (i % 2 == 0) problem.k = (problem.k + 7) / 8 * 8;
        problem.alignment = i % 2 == 0 ? 16 : 2;
        bool const is_half = i % 5 == 2;
        problem.type = is_half ? matmul::factor_type::fp16 : matmul::factor_type::bf16;
        problem.result = i % 3 == 0 ? matmul::result_type::fp32
                         : is_half  ? matmul::result_type::fp16
                                    : matmul::result_type::bf16;
        problem.a = i % 7 < 3 ? matmul::order::rows : matmul::order::columns;
        problem.b = i % 7 < 5 ? matmul::order::columns : matmul::order::rows;
        problem.bias = i % 3 == 1;
        problem.activation = static_cast<matmul::activation>(i / 7 % 4);
        problem.made_for = static_cast<matmul::known_sizes>(i / 11 % 5);
        result.push_back(line_of(problem, archs[i / 2 % 6]));
    }
    for (int channels = 8; channels <= 2048; channels += channels < 256 ? 8 : 56) {
        auto const config = layernorm_2d::best_config({.channels = channels});
        result.push_back("layernorm_2d channels=" + std::to_string(channels) + ": " +
                         text_of(config) + ", " + std::to_string(config.shared_bytes()) + ", " +
                         std::to_string(layernorm_2d::grid(config, /*positions=*/10007).x));
    }
    for (int n = 1; n < 1 << 30; n *= 3) {
        result.push_back("axpby n=" + std::to_string(n) + ": " +
                         text_of(axpby::best_config({.n = n})));
    }
    return result;
}

} // namespace

TEST_CASE("configurations are listed, estimated and chosen as they were recorded") {
    auto const number = test::compare_with_record(lines(), SPIO_CHOICES, "SPIO_RECORD_CHOICES");
    std::cout << "summary: spec.choices: " << number << " problems as recorded\n";
}
