// Begins a convolution with generic kernels, and compiles those of the problem alone meanwhile.
// SPDX-License-Identifier: Apache-2.0
//
// A generic kernel serves every layer with the same filter. A pack is a file of kernels that were
// compiled before the program.
module;

#include "conv2d/problem.h"

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

// The least gain for which a kernel is compiled, by estimate.
constexpr double least_gain = 1.03;
// The time of a kernel that takes the sizes of the layer from the launch over that of one that
// knows them, in the same configuration: 1.00 to 1.03 for fprop and dgrad, 1.03 to 1.33 for wgrad.
// Measured on an H200 (bench/results/conv2d_generic_sm90a-2026-11-22.json).
double generic_cost(direction pass) { return pass == direction::wgrad ? 1.11 : 1.02; }

// The images of a problem's kernels in a configuration.
struct compiled_images {
    conv2d::config config;
    std::vector<image> images;
};

} // namespace

template <class Ready>
std::optional<tiered<Ready>> begin_generic(device const& home, tier_source const& source,
                                           problem const& problem) {
    auto const& [tiers, stream] = source;
    if (tiers == nullptr || !tiers->chosen_options().begins_generic) return {};
    check(problem);
    if (!problem.knows_layer() || !has_generic(problem)) return {};
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
    auto const find = [=, tiers = tiers]() -> std::optional<compiled_images> {
        auto const better = best_config(problem, arch, tiers->configs());
        auto const time = explain(problem, better, arch).microseconds;
        auto const generic_time =
            generic_cost(problem.pass) * explain(generic, config, arch).microseconds;
        if (generic_time < least_gain * time) return {};
        compiled_images found = {better, {}};
        for (auto const& spec : specs_of(problem, better, arch)) {
            found.images.push_back(tiers->all_images().find(spec, policy::aot_then_jit));
        }
        return found;
    };
    // The runtime of these kernels may be gone when they are loaded, so they are not in its table.
    auto const load = [=](compiled_images const& found) {
        kernels const loaded(home);
        auto next = found.images.begin();
        return *Ready::make(problem, found.config, arch, [&](auto const& spec) {
            return std::optional(
                loaded.load(typed_image<typename std::remove_cvref_t<decltype(spec)>::params_type>{
                    *next++, spec.grid}));
        });
    };
    result.template improve<compiled_images>(*tiers, subject, find, load);
    return result;
}
template std::optional<tiered<ready_correlation>> begin_generic(device const&, tier_source const&,
                                                                problem const&);
template std::optional<tiered<ready_gradient>> begin_generic(device const&, tier_source const&,
                                                             problem const&);

} // namespace spio::conv2d
