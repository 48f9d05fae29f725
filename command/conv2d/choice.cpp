// Tells how the configuration of a convolution is chosen, and which others are worth a trial.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a problem. It is the one that was measured on this GPU, or
// the fastest by a learned model's prediction, or by the family's own estimate. A family is the
// kernels of one operation.
module;

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

module spio.command;

import spio.conv2d;
import spio.spec;

namespace spio::command {

using namespace conv2d;

namespace {

// Who chose a configuration for a pass, for people.
std::string chosen_by(config_origin origin, direction pass, arch arch) {
    switch (origin) {
    case config_origin::tuned:
        return "a measurement on this GPU";
    case config_origin::model:
        return describe_model(pass, arch);
    case config_origin::family:
        break;
    }
    return "the estimate, and measurements of other layers";
}

} // namespace

// The configurations that `spio tune` measures: first the one that is chosen now.
std::vector<std::string> conv2d_configs(std::string_view words, arch arch) {
    auto const problem = parse<conv2d::problem>("conv2d", words);
    std::vector<std::string> texts = {conv2d::config_text(best_config(problem, arch))};
    auto const add = [&](config const& config) {
        auto text = conv2d::config_text(config);
        if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    };
    for (auto const& ranked : rank(problem, arch).configs) add(ranked.config);
    if (texts.size() == 1) std::ranges::for_each(space(problem, arch), add);
    return texts;
}

// The chosen configuration and the next best ones, with their times.
explained_choice explain_conv2d(std::string_view words, arch arch, config_source const& configs) {
    constexpr std::size_t most_listed = 5;
    auto const problem = parse<conv2d::problem>("conv2d", words);
    auto const chosen = choose(problem, arch, configs);
    auto ranking = rank(problem, arch);
    explained_choice result = {.chosen_by = chosen_by(chosen.origin, problem.pass, arch),
                               .refusal = chosen.refusal,
                               .configs = {}};
    auto const text = conv2d::config_text(chosen.config);
    result.configs.push_back({text, explain(problem, chosen.config, arch).microseconds, 0});
    for (auto const& [config, expected, predicted] : ranking.configs) {
        auto other = conv2d::config_text(config);
        if (other == text) {
            result.configs.front().predicted = predicted;
        } else if (result.configs.size() < most_listed) {
            result.configs.push_back({std::move(other), expected.microseconds, predicted});
        }
    }
    if (!ranking.configs.empty()) return result;
    for (auto const& config : space(problem, arch)) {
        auto other = conv2d::config_text(config);
        if (other == text || result.configs.size() == most_listed) continue;
        result.configs.push_back(
            {std::move(other), explain(problem, config, arch).microseconds, 0});
    }
    return result;
}

// What chooses configurations where nothing was measured, for people.
std::vector<std::string> conv2d_choosers(arch arch) {
    return {chooser_line("conv2d fprop, dgrad", arch, describe_model(direction::fprop, arch)),
            chooser_line("conv2d wgrad", arch, describe_model(direction::wgrad, arch))};
}

} // namespace spio::command
