// Chooses configurations by a learned model, or by the estimate where the model cannot be trusted.
// SPDX-License-Identifier: Apache-2.0
//
// A configuration says how blocks share a problem. Candidates are estimated first, by rules; a
// learned model then predicts the time of the few that are likely to be fast. It is not asked for
// problems that are unlike those it was trained on; then the family's own choice stands, with a
// refusal that says why. wgrad is the gradient of the filter, fprop and dgrad are the other two
// passes. has_static_layer() says whether the channels and the padding are known when a kernel is
// compiled.
module;

#include "conv2d/problem.h"
#include "conv2d/tma.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import :estimator;
import spio.model;
import spio.spec;

namespace spio::conv2d {

namespace {

using model::forest;

// The shipped models. Their features are those of features_of(), in the same order.
std::vector<forest> const& shipped_models() {
    static constinit model::shipped_models models;
    return models.read(model_texts(), feature_names());
}

// The model of this name that was trained on this machine; null if there is none. One that was
// trained with other features is of another version of the library.
forest const* local_model(std::string_view name, arch arch) {
    auto const* const model = model::find_local(name, text_of(arch));
    bool const is_ours = model != nullptr && std::ranges::equal(model->features(), feature_names());
    return is_ours ? model : nullptr;
}

// The name of the models of a pass.
std::string_view model_name(direction pass) {
    return pass == direction::wgrad ? "conv2d gradient" : "conv2d correlation";
}

// The model of a pass for an architecture: one that was trained on this machine, or one that was
// shipped for the chip; null if there is none.
forest const* model_for(direction pass, arch arch) {
    auto const name = model_name(pass);
    if (auto const* const local = local_model(name, arch)) return local;
    for (auto const& model : shipped_models()) {
        if (model.name() == name && model.chip() == chip_of(arch).name) return &model;
    }
    return nullptr;
}

// Whether a model was trained with kernels of its passes that copy rows. One that was not predicts
// for these what it predicts for boxes.
bool has_learned_rows(forest const& model) { return model.is_inside(copies_rows_feature, 1); }

// The candidate whose predicted time is the least.
// The model predicts the logarithm of the time over its estimate. A twin of wgrad, with the other
// number of warps for a group or with a shorter ring, replaces its like if it is faster.
std::size_t fastest(forest const& model, problem const& problem, arch arch, shortlist& candidates) {
    std::vector<double> offsets;
    offsets.reserve(candidates.list.size());
    for (auto const& each : candidates.list) {
        offsets.push_back(std::log(each.expected.microseconds));
    }
    auto const best = model.least(candidates.rows, offsets, candidates.clusters);
    auto const count = candidates.list.size();
    auto const twins = add_twins(problem, arch, candidates, best);
    if (twins == 0) return best;
    std::vector<float> rows(candidates.row(best).begin(), candidates.row(best).end());
    std::vector<double> totals = {offsets[best]};
    for (auto i = count; i < count + twins; ++i) {
        rows.insert(rows.end(), candidates.row(i).begin(), candidates.row(i).end());
        totals.push_back(std::log(candidates.list[i].expected.microseconds));
    }
    auto const faster = model.least(rows, totals, totals.size());
    return faster == 0 ? best : count + faster - 1;
}

// The family's choice; the refusal says why no model chose.
choice choice_of_family(problem const& problem, arch arch, std::string refusal) {
    auto const chosen = family_choice(problem, arch);
    if (!chosen) {
        throw error(error_kind::unsupported, "configure", "conv2d " + text_of(problem),
                    "no configuration for " + text_of(arch) + " can compute " +
                        enumerator_name(problem.pass));
    }
    return {*chosen, config_origin::family, std::move(refusal)};
}

// Why a choice was not a model's.
constexpr char no_candidates[] = "it has no candidates";
std::string no_model_for(arch arch) {
    return "there is no model for " + std::string(chip_of(arch).name);
}

// A problem as the model knows it: without an activation and scales, unless there is a second
// tensor.
problem without_epilogue(problem plain) {
    if (plain.has_second_tensor()) return plain;
    plain.activation = activation::none;
    plain.scale = false;
    return plain;
}

// The model's choice, or the family's where the model must not choose.
choice choice_without_measurement(problem const& asked, arch arch) {
    if (!asked.has_static_layer()) {
        return choice_of_family(asked, arch, "generic kernels have few configurations");
    }
    if (asked.has_second_tensor()) {
        return choice_of_family(asked, arch, "the model was not trained for a second tensor");
    }
    auto const problem = without_epilogue(asked);
    auto const* const model = model_for(problem.pass, arch);
    if (model == nullptr) return choice_of_family(asked, arch, no_model_for(arch));
    check(asked);
    auto result = shortlist_of(problem, arch, has_learned_rows(*model));
    if (result.list.empty()) return choice_of_family(asked, arch, no_candidates);
    auto const best = fastest(*model, problem, arch, result);
    auto const outside = model->first_outside(result.row(best));
    if (outside < feature_count) {
        return choice_of_family(asked, arch,
                                "the model was not trained for such a value of " +
                                    std::string(feature_names()[outside]));
    }
    return {result.list[best].config, config_origin::model};
}

// All that tells two requests for a choice apart, as numbers.
using request = std::array<int, 24>;
static_assert(sizeof(problem) == 76, "request_of() must tell problems apart by the new field");
request request_of(problem const& p, arch arch) {
    return {p.n,
            p.c,
            p.h,
            p.w,
            p.r,
            p.s,
            p.pad_h,
            p.pad_w,
            p.bias,
            static_cast<int>(p.pass),
            static_cast<int>(p.made_for),
            static_cast<int>(p.gradient),
            static_cast<int>(p.type),
            p.stride_h,
            p.stride_w,
            p.dilation_h,
            p.dilation_w,
            static_cast<int>(p.activation),
            p.scale,
            p.residual,
            p.preactivation,
            arch.number,
            arch.suffix,
            2 * arch.is_ptx + arch.is_host};
}
std::size_t hash_of(request const& request) {
    std::uint64_t hash = 0;
    for (int const field : request) {
        hash = (hash ^ static_cast<std::uint32_t>(field)) * 0x9e3779b97f4a7c15;
    }
    return hash >> 32;
}

// The last choices of this thread: a layer is asked for again and again.
class recent_choices {
  public:
    choice const& find(problem const& problem, arch arch) {
        auto const asked = request_of(problem, arch);
        if (auto const count = model::local_count(); count != model_count) {
            entries.fill({}); // another model may choose now
            model_count = count;
        }
        auto& [request, found] = entries[hash_of(asked) % entries.size()];
        if (!found || request != asked) {
            found = choice_without_measurement(problem, arch);
            request = asked;
        }
        return *found;
    }

  private:
    struct entry {
        conv2d::request request = {};
        std::optional<choice> found = {};
    };
    std::array<entry, 64> entries;
    std::size_t model_count = 0; // of local models, when the entries were written
};

} // namespace

std::optional<config> family_choice(problem const& problem, arch arch) {
    auto const configs =
        problem.has_static_layer() ? space(problem, arch) : generic_configs(problem, arch);
    if (configs.empty()) return {};
    return with_parts_and_groups(problem, configs.front(), arch);
}

bool has_model(arch arch) { return model_for(direction::fprop, arch) != nullptr; }
std::string describe_model(direction pass, arch arch) {
    auto const* const model = model_for(pass, arch);
    if (model == nullptr) return "";
    bool const is_local = model == local_model(model_name(pass), arch);
    return is_local ? model::describe_local(*model) : model::describe_shipped(*model);
}

std::vector<candidate> likely_candidates(problem const& asked, arch arch) {
    check(asked);
    return shortlist_of(without_epilogue(asked), arch, /*has_whole_rows=*/true).list;
}

predictions rank(problem const& asked, arch arch) {
    check(asked);
    auto const problem = without_epilogue(asked);
    auto const* const model = model_for(problem.pass, arch);
    if (model == nullptr) return {.configs = {}, .refusal = no_model_for(arch)};
    auto result = shortlist_of(problem, arch, has_learned_rows(*model));
    if (result.list.empty()) return {.configs = {}, .refusal = no_candidates};
    // The one that is chosen comes first.
    auto const best = fastest(*model, problem, arch, result);
    std::vector<float> values(result.list.size());
    model->predict(result.rows, values);
    predictions ranking;
    std::vector<std::tuple<bool, double, std::size_t>> order;
    for (std::size_t i = 0; i < result.list.size(); ++i) {
        auto const ratio = std::exp(static_cast<double>(values[i]));
        order.emplace_back(i != best, result.list[i].expected.microseconds * ratio, i);
    }
    std::ranges::sort(order);
    for (auto const& [is_other, microseconds, i] : order) {
        ranking.configs.push_back({result.list[i].config, result.list[i].expected, microseconds});
    }
    return ranking;
}

bool have_same_order(problem const& problem, config const& a, config const& b) {
    if (problem.pass == direction::wgrad) return config_text(a) == config_text(b);
    auto const has_pairs = [&](config const& config) {
        auto const* const body = std::get_if<tma::config>(&config);
        return body != nullptr && body->has_pairs_of_rows(problem);
    };
    return a.index() == b.index() && has_pairs(a) == has_pairs(b);
}

choice choose(problem const& problem, arch arch, config_source const& configs) {
    if (&configs != &default_config_source()) {
        check(problem);
        if (auto const known = configs.find({"conv2d", text_of(problem), arch})) {
            return {parse_config(known->config), known->origin};
        }
    }
    // Behind a pointer, because a library that is loaded late has little memory for each thread.
    thread_local auto const recent = std::make_unique<recent_choices>();
    return recent->find(problem, arch);
}

config best_config(problem const& problem, arch arch, config_source const& configs) {
    return choose(problem, arch, configs).config;
}

} // namespace spio::conv2d
