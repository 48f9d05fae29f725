// Chooses configurations by a learned model, or by the estimate where the model cannot be trusted.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a product; a body is one of two kernel templates. All
// configurations of the body wgmma are estimated first, by rules; a learned model then predicts the
// time of those that are not far behind. It is not asked for products that are unlike those it was
// trained on; then the first of space() stands, with a refusal that says why. It was not trained on
// ping-pong either: where k is short, the estimate of that, which was fitted to other times, is
// compared with what the model predicts. A config_source finds measured configurations; without one
// the family chooses.
module;

#include "matmul/cp_async.h"
#include "matmul/problem.h"
#include "matmul/wgmma.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

module spio.matmul;

import spio.model;
import spio.spec;

namespace spio::matmul {

namespace {

using model::forest;

// The model does not choose a configuration whose estimated time is above this multiple of the
// least one.
constexpr double most_estimate = 2;
// The model predicts the times of at most this number of configurations, those with the least
// estimated times.
constexpr std::ptrdiff_t most_predicted = 64;
// Ping-pong is chosen if its estimate is at most this multiple of the time that is predicted.
constexpr double most_of_predicted = 0.97;

// The shipped models. Their features are those of features_of(), in the same order.
std::vector<forest> const& shipped_models() {
    static constinit model::shipped_models models;
    return models.read(model_texts(), feature_names());
}
forest const* model_for(arch arch) {
    for (auto const& model : shipped_models()) {
        if (model.chip() == chip_of(arch).name) return &model;
    }
    return nullptr;
}

// Whether ping-pong may be chosen untried: it was measured without epilogues, and was slower where
// lines of the factors do not begin at multiples of 128 bytes.
bool may_take_turns(problem const& problem) {
    int const a_line = problem.a == order::rows ? problem.k : problem.m;
    int const b_line = problem.b == order::columns ? problem.k : problem.n;
    return a_line % tile_k == 0 && b_line % tile_k == 0 && !problem.bias && !problem.residual &&
           problem.activation == activation::none;
}

// The first of the configurations that the estimate lists, in ping-pong only where that may be
// chosen; the refusal says why no model chose.
choice choice_of_family(problem const& problem, arch arch, std::string refusal) {
    auto const configs = space(problem, arch);
    if (configs.empty()) {
        throw error(error_kind::unsupported, "specialize", "matmul " + text_of(problem),
                    "no configuration fits " + text_of(arch));
    }
    auto const chosen = std::ranges::find_if(configs, [&](auto const& config) {
        auto const* const wgmma = std::get_if<wgmma::config>(&config);
        return wgmma == nullptr || !wgmma->ping_pong || may_take_turns(problem);
    });
    auto const& config = chosen == configs.end() ? configs.front() : *chosen;
    return {config, config_origin::family, std::move(refusal)};
}

// The model's choice, or the family's where the model must not choose.
choice choice_without_measurement(problem const& problem, arch arch) {
    auto const* const model = model_for(arch);
    if (model == nullptr) {
        return choice_of_family(problem, arch,
                                "there is no model for " + std::string(chip_of(arch).name));
    }
    if (problem.batch > 1) {
        return choice_of_family(problem, arch, "the model was not trained for batches");
    }
    auto list = candidates(problem, arch, body::wgmma);
    if (list.empty()) {
        return choice_of_family(problem, arch, "the model was trained for the body wgmma alone");
    }
    auto const is_trained = [](auto const& other) {
        return !std::get<wgmma::config>(other.config).ping_pong;
    };
    auto const turns = std::ranges::find_if_not(list, is_trained);
    bool const has_turns = turns != list.end() && may_take_turns(problem);
    auto const fastest_turns = has_turns ? *turns : candidate{};
    std::erase_if(list, [&](auto const& other) { return !is_trained(other); });
    auto const most = most_estimate * list.front().expected.microseconds;
    std::erase_if(list, [&](auto const& other) { return other.expected.microseconds > most; });
    if (std::ssize(list) > most_predicted) list.erase(list.begin() + most_predicted, list.end());
    // The model predicts the logarithm of the time over its estimate.
    std::vector<float> rows;
    std::vector<double> offsets;
    for (auto const& [config, expected] : list) {
        auto const values = features_of(problem, std::get<wgmma::config>(config), expected, arch);
        rows.insert(rows.end(), values.begin(), values.end());
        offsets.push_back(std::log(expected.microseconds));
    }
    auto const best = model->least(rows, offsets);
    auto const outside =
        model->first_outside(std::span(rows).subspan(best * feature_count, feature_count));
    if (outside < feature_count) {
        return choice_of_family(problem, arch,
                                "the model was not trained for such a value of " +
                                    std::string(feature_names()[outside]));
    }
    float value = 0;
    model->predict(std::span(rows).subspan(best * feature_count, feature_count),
                   std::span(&value, 1));
    auto const predicted = std::exp(offsets[best] + static_cast<double>(value));
    if (has_turns && fastest_turns.expected.microseconds <= most_of_predicted * predicted) {
        return {fastest_turns.config, config_origin::model};
    }
    return {list[best].config, config_origin::model};
}

} // namespace

bool has_model(arch arch) { return model_for(arch) != nullptr; }

std::string describe_model(arch arch) {
    auto const* const model = model_for(arch);
    return model == nullptr ? "" : model::describe_shipped(*model);
}

choice choose(problem const& problem, arch arch, config_source const& configs) {
    check(problem);
    if (auto const known = configs.find({"matmul", text_of(problem), arch})) {
        return {parse_config(known->config), known->origin};
    }
    return choice_without_measurement(problem, arch);
}

config best_config(problem const& problem, arch arch, config_source const& configs) {
    return choose(problem, arch, configs).config;
}

} // namespace spio::matmul
