// Starts a convolution with generic kernels while kernels specialized for its problem are compiled.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every layer with the same filter; a specialized one is compiled for one
// problem (the sizes and options of a call) and is faster. A pack is a file of kernels that were
// compiled before the program ran. `tiers` finds kernels in packs and compiles others on a
// background thread; a later launch takes them. A spec is what a kernel is compiled from. fprop is
// the forward pass, dgrad computes the gradient of the input, wgrad that of the filter.
// has_static_layer() says whether the channels and the padding are known when a kernel is compiled.
module;

#include "conv2d/problem.h"

#include <atomic>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

module spio.conv2d.launch;

import spio.conv2d;
import spio.image;
import spio.launch;
import spio.spec;

namespace spio::conv2d {

namespace {

// A specialized kernel is compiled if the generic one is estimated to take this many times as long.
constexpr double least_gain = 1.03;
// Live tuning times the launches of several configurations and keeps the fastest. It includes those
// whose predicted time is at most this multiple of the least one.
constexpr double most_predicted = 1.1;
// The time of a kernel that takes the sizes of the layer from the launch over that of one that
// knows them, in the same configuration: 1.00 to 1.03 for fprop and dgrad, 1.03 to 1.33 for wgrad.
// Measured on an H200 (bench/results/conv2d_generic_sm90a-2026-11-22.json).
double generic_cost(direction pass) { return pass == direction::wgrad ? 1.11 : 1.02; }

// The compiled images of a problem's kernels, for one configuration.
struct compiled_images {
    conv2d::config config;
    std::vector<image> images;
};

// The configurations that live tuning compares: first the chosen one, then those that the learned
// model (or else the estimate) expects to take little longer and that compute the same bits. There
// is only the chosen one if it was measured.
std::vector<config> compared_configs(problem const& problem, arch arch, tiers const& tiers) {
    auto const chosen = logged_choice(problem, arch, tiers.configs());
    std::vector<config> configs = {chosen.config};
    auto const most = tiers.chosen_options().most_compared;
    if (chosen.origin == config_origin::tuned || most <= 1) return configs;
    auto const first = config_text(chosen.config);
    auto const add = [&](config const& other) {
        if (configs.size() < most && config_text(other) != first &&
            have_same_order(problem, chosen.config, other)) {
            configs.push_back(other);
        }
    };
    if (chosen.origin == config_origin::family) {
        for (auto const& other : space(problem, arch)) add(other);
        return configs;
    }
    auto const ranking = rank(problem, arch).configs;
    for (auto const& [other, expected, predicted] : ranking) {
        if (predicted <= most_predicted * ranking.front().predicted) add(other);
    }
    return configs;
}

// Has the background thread find or compile the specialized kernels, if is_better(configs) says
// that they are worth it.
template <class Ready, class F>
void improve(tiered<Ready> const& begun, device const& home, tier_source const& source,
             problem const& problem, F is_better) {
    auto const& tiers = *source.tiers;
    auto const arch = home.arch();
    auto const find = [=, &tiers]() {
        std::vector<compiled_images> found;
        auto const configs = compared_configs(problem, arch, tiers);
        if (!is_better(configs)) return found;
        for (auto const& config : configs) {
            compiled_images next = {config, {}};
            try {
                for (auto const& spec : specs_of(problem, config, arch)) {
                    next.images.push_back(tiers.all_images().find(spec, policy::aot_then_jit));
                }
            } catch (error const& e) {
                if (found.empty()) throw;
                log(std::string("not compared: ") + e.what());
                continue;
            }
            found.push_back(std::move(next));
        }
        return found;
    };
    // The runtime that began this may be gone when the kernels are loaded, so they are kept in a
    // table of their own.
    auto const load = [=](compiled_images const& found) {
        kernels const loaded(home);
        auto next = found.images.begin();
        return *Ready::make(problem, found.config, arch, [&](auto const& spec) {
            return std::optional(
                loaded.load(typed_image<typename std::remove_cvref_t<decltype(spec)>::params_type>{
                    *next++, spec.grid}));
        });
    };
    auto const keep = [=, keep = tiers.chosen_options().keep](compiled_images const& fastest,
                                                              double microseconds) {
        if (keep) {
            keep({"conv2d", text_of(problem), arch}, config_text(fastest.config), microseconds);
        }
    };
    begun.template improve<compiled_images>(tiers,
                                            "conv2d " + text_of(problem) + " for " + text_of(arch),
                                            find, load, keep, source.awaited_launches);
}

} // namespace

choice logged_choice(problem const& problem, arch arch, config_source const& configs) {
    auto chosen = choose(problem, arch, configs);
    static std::atomic<bool> is_told = false;
    bool const has_guessed = chosen.origin == config_origin::family && !has_model(arch);
    if (has_guessed && !is_told.exchange(true)) {
        log("estimates choose configurations of conv2d: " + chosen.refusal);
    }
    return chosen;
}

template <class Ready>
std::optional<tiered<Ready>> begin_generic(device const& home, tier_source const& source,
                                           problem const& problem) {
    auto const& [tiers, stream, awaited_launches] = source;
    if (tiers == nullptr || !tiers->chosen_options().begins_generic) return {};
    check(problem);
    if (!problem.has_static_layer() || !has_generic(problem)) return {};
    auto const arch = home.arch();
    auto const shipped = [&](auto const& spec) { return tiers->find(spec, stream); };
    if (tiers->chosen_options().has_packs) {
        auto const config = best_config(problem, arch, tiers->configs());
        if (auto ready = Ready::make(problem, config, arch, shipped)) {
            return tiered(*std::move(ready));
        }
    }
    auto const generic = generic_problem(problem);
    auto const config = generic_configs(generic, arch).front();
    auto first = Ready::make(generic, config, arch, shipped);
    if (!first) return {};
    std::string const subject = "conv2d " + text_of(problem) + " for " + text_of(arch);
    tiers->begin(subject);
    tiered<Ready> result(*std::move(first));
    if (!tiers->chosen_options().tier_up) return result;
    improve(result, home, source, problem, [=](std::vector<conv2d::config> const& better) {
        auto const time = explain(problem, better.front(), arch).microseconds;
        auto const generic_time =
            generic_cost(problem.pass) * explain(generic, config, arch).microseconds;
        return generic_time >= least_gain * time;
    });
    return result;
}
template std::optional<tiered<ready_correlation>> begin_generic(device const&, tier_source const&,
                                                                problem const&);
template std::optional<tiered<ready_gradient>> begin_generic(device const&, tier_source const&,
                                                             problem const&);

void compare_others(tiered<ready_correlation> const& begun, device const& home,
                    tier_source const& source, problem const& problem) {
    if (source.tiers == nullptr || source.tiers->chosen_options().most_compared <= 1) return;
    improve(begun, home, source, problem,
            [](std::vector<conv2d::config> const& configs) { return configs.size() > 1; });
}

} // namespace spio::conv2d
