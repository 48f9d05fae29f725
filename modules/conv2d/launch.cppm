// Convolutions that are ready on a device: a pass is one call, whatever kernels it needs.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a call; it may leave sizes open until the launch. A config
// is the configuration of one of conv2d's kernel templates, which are called bodies. A loader is a
// runtime, or any object with target_device() and load(). A generic kernel serves every layer with
// the same filter. A config_source finds measured configurations; without one the family chooses.
//
//     spio::runtime const gpu;
//     conv2d::convolution const forward(gpu, {.n = 32, .c = 64, .h = 56, .w = 56});
//     forward.launch(stream, {.input = x, .filter = filter, .output = y});
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

export module spio.conv2d.launch;

import spio.conv2d;
import spio.launch;
import spio.spec;

namespace spio::conv2d {

[[noreturn]] void refuse(problem const&, config const&);

// What chooses configurations: that of a loader, if it has one, or else the default.
template <class Loader> config_source const& configs_of(Loader const& loader) {
    if constexpr (requires { loader.configs(); }) {
        return loader.configs();
    } else {
        return default_config_source();
    }
}

// The chosen configuration. Logs once if the chip has no learned model.
choice logged_choice(problem const&, arch, config_source const&);

// A loaded kernel of fprop or dgrad, the problem that it is compiled for, which may be generic, and
// its configuration.
struct ready_correlation {
    conv2d::problem problem;
    conv2d::config config;
    std::variant<kernel<cp_async::params>, kernel<tma::params>> body;

    // load() returns the kernel of a spec, or nothing, and then so does make().
    template <class Load>
    static std::optional<ready_correlation> make(conv2d::problem const& problem,
                                                 conv2d::config const& config, arch arch,
                                                 Load const& load) {
        auto const make_body = [&](auto const& body) -> std::optional<ready_correlation> {
            auto kernel = load(specialize(problem, body, arch));
            if (!kernel) return {};
            return ready_correlation{problem, config, *std::move(kernel)};
        };
        if (auto const* const body = std::get_if<cp_async::config>(&config)) {
            return make_body(*body);
        }
        if (auto const* const body = std::get_if<tma::config>(&config)) return make_body(*body);
        refuse(problem, config);
    }
};

// The same for wgrad, which takes two kernels, or one where no partial sums are left to add.
struct ready_gradient {
    conv2d::problem problem;
    conv2d::config config;
    std::variant<kernel<wgrad_cp_async::params>, kernel<wgrad_tma::params>> partial_sums;
    std::optional<kernel<wgrad_reduce::params>> reduction;

    template <class Load>
    static std::optional<ready_gradient> make(conv2d::problem const& problem,
                                              conv2d::config const& config, arch arch,
                                              Load const& load) {
        auto const make_body = [&](auto const& body) -> std::optional<ready_gradient> {
            auto const specs = specialize_gradient(problem, body, arch);
            auto partial_sums = load(specs.partial_sums);
            if (!partial_sums) return {};
            ready_gradient ready{problem, config, *std::move(partial_sums), {}};
            for (auto const& reduction : specs.reduction) {
                ready.reduction = load(reduction);
                if (!ready.reduction) return {};
            }
            return ready;
        };
        if (auto const* const body = std::get_if<wgrad_cp_async::config>(&config)) {
            return make_body(*body);
        }
        if (auto const* const body = std::get_if<wgrad_tma::config>(&config)) {
            return make_body(*body);
        }
        refuse(problem, config);
    }
};

// The kernels that a problem begins with, if a pack has generic ones for it; nothing if none has.
template <class Ready>
std::optional<tiered<Ready>> begin_generic(device const&, tier_source const&, problem const&);
// If live tuning is on, has the background thread compile other configurations to compare.
void compare_others(tiered<ready_correlation> const&, device const&, tier_source const&,
                    problem const&);

// The kernels for a problem, loaded by a loader: in this configuration, or in a chosen one.
template <class Ready, class Loader>
tiered<Ready> ready_of(Loader& loader, problem const& problem, config const& config) {
    auto const load = [&](auto const& spec) { return std::optional(loader.load(spec)); };
    return tiered(*Ready::make(problem, config, loader.target_device().arch(), load));
}
template <class Ready, class Loader>
tiered<Ready> ready_of(Loader& loader, problem const& problem) {
    if constexpr (requires { loader.tiers(); }) {
        auto begun = begin_generic<Ready>(loader.target_device(), loader.tiers(), problem);
        if (begun) return *std::move(begun);
    }
    auto const chosen = logged_choice(problem, loader.target_device().arch(), configs_of(loader));
    auto result = ready_of<Ready>(loader, problem, chosen.config);
    if constexpr (requires { loader.tiers(); } && std::is_same_v<Ready, ready_correlation>) {
        compare_others(result, loader.target_device(), loader.tiers(), problem);
    }
    return result;
}

} // namespace spio::conv2d

export namespace spio::conv2d {

// A convolution, forward (fprop) or of the gradient of the input (dgrad), ready to be launched. A
// loader is a runtime, or any object with target_device() and load(). Where the loader has tiers(),
// and no configuration is named, launches may begin with a generic kernel.
class convolution {
  public:
    template <class Loader>
    convolution(Loader&& loader, problem const& problem, config const& config)
        : home(loader.target_device()),
          compiled_problem(problem),
          kernels(ready_of<ready_correlation>(loader, problem, config)) {}
    template <class Loader>
    convolution(Loader&& loader, problem const& problem)
        : home(loader.target_device()),
          compiled_problem(problem),
          kernels(ready_of<ready_correlation>(loader, problem)) {}

    // The tensors have the sizes of the problem. A size that the problem leaves open may be any.
    // They are of the problem's type. The tensors of the problem's epilogue come last.
    void launch(stream const&, correlation_args<half> const&,
                epilogue_args<half> const& = {}) const;
    void launch(stream const&, correlation_args<bfloat16> const&,
                epilogue_args<bfloat16> const& = {}) const;
    // Waits for the kernel of the problem alone, if it is being compiled, and loads it.
    void prepare() const { kernels.prepare(); }

  private:
    device home; // for which the kernels are loaded
    problem compiled_problem;
    tiered<ready_correlation> kernels;

    template <class T>
    void launch_body(stream const&, correlation_args<T> const&, epilogue_args<T> const&) const;
    template <class T>
    void launch_ready(stream const&, ready_correlation const&, problem const& launched,
                      correlation_args<T> const&, epilogue_args<T> const&) const;
};

// The gradient of the filter (wgrad), ready to be launched: two kernels, one after the other, or
// one kernel where a cluster of blocks adds its sums.
class weight_gradient {
  public:
    template <class Loader>
    weight_gradient(Loader&& loader, problem const& problem, config const& config)
        : home(loader.target_device()),
          compiled_problem(problem),
          kernels(ready_of<ready_gradient>(loader, problem, config)) {}
    template <class Loader>
    weight_gradient(Loader&& loader, problem const& problem)
        : home(loader.target_device()),
          compiled_problem(problem),
          kernels(ready_of<ready_gradient>(loader, problem)) {}

    // The size of the workspace, in floats. It may change from launch to launch: kernels that would
    // need more than they get do not take over. Launches that may run at the same time need one
    // each.
    std::size_t workspace_floats() const;
    void launch(stream const&, wgrad_args<float> const&) const;
    void launch(stream const&, wgrad_args<half> const&) const;
    void launch(stream const&, wgrad_args<float, bfloat16> const&) const;
    void launch(stream const&, wgrad_args<bfloat16, bfloat16> const&) const;
    // Waits for the kernels of the problem alone, if they are being compiled, and loads them.
    void prepare() const { kernels.prepare(); }

  private:
    device home; // for which the kernels are loaded
    problem compiled_problem;
    tiered<ready_gradient> kernels;

    template <class Gradient, class T>
    void launch_both(stream const&, wgrad_args<Gradient, T> const&) const;
};

} // namespace spio::conv2d
