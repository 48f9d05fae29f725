// Convolutions that are ready on a device: a pass is one call, whatever kernels it needs.
// SPDX-License-Identifier: Apache-2.0
//
// A problem is the sizes and options of a call; it may leave sizes open until the launch. A config
// is the configuration of one of conv2d's kernel templates, which are called bodies. A loader is a
// runtime, or any object with target_device() and load().
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
#include <utility>
#include <variant>

export module spio.conv2d.launch;

import spio.conv2d;
import spio.launch;
import spio.spec;

namespace spio::conv2d {

// A configuration and its loaded kernel.
template <class Config, class Params> struct ready_body {
    Config config;
    spio::kernel<Params> kernel;
};

// Throws the error for a problem or a config of which the class at hand makes no kernel.
[[noreturn]] void refuse(problem const&, config const&);

// What chooses configurations: that of a loader, if it has one, or else the default.
template <class Loader> config_source const& configs_of(Loader const& loader) {
    if constexpr (requires { loader.configs(); }) {
        return loader.configs();
    } else {
        return default_config_source();
    }
}

} // namespace spio::conv2d

export namespace spio::conv2d {

// A convolution, forward (fprop) or of the gradient of the input (dgrad), ready to be launched. A
// loader is a runtime, or any object with target_device() and load().
class convolution {
  public:
    template <class Loader>
    convolution(Loader&& loader, problem const& problem, config const& config)
        : home(loader.target_device()),
          compiled_problem(problem),
          body(load(loader, problem, config)) {}
    template <class Loader>
    convolution(Loader&& loader, problem const& problem)
        : convolution(loader, problem,
                      best_config(problem, loader.target_device().arch(), configs_of(loader))) {}

    // The tensors have the sizes of the problem. A size that the problem leaves open may be any.
    // They are of the problem's type. The tensors of the problem's epilogue come last.
    void launch(stream const&, correlation_args<half> const&,
                epilogue_args<half> const& = {}) const;
    void launch(stream const&, correlation_args<bfloat16> const&,
                epilogue_args<bfloat16> const& = {}) const;

  private:
    using cp_async_body = ready_body<cp_async::config, cp_async::params>;
    using tma_body = ready_body<tma::config, tma::params>;

    device home; // for which the kernels are loaded
    problem compiled_problem;
    std::variant<cp_async_body, tma_body> body;

    template <class T>
    void launch_body(stream const&, correlation_args<T> const&, epilogue_args<T> const&) const;

    template <class Loader>
    static std::variant<cp_async_body, tma_body> load(Loader& loader, problem const& problem,
                                                      config const& config) {
        auto const arch = loader.target_device().arch();
        if (auto const* const cp_async = std::get_if<cp_async::config>(&config)) {
            return cp_async_body{*cp_async, loader.load(specialize(problem, *cp_async, arch))};
        }
        if (auto const* const tma = std::get_if<tma::config>(&config)) {
            return tma_body{*tma, loader.load(specialize(problem, *tma, arch))};
        }
        refuse(problem, config);
    }
};

// The gradient of the filter (wgrad), ready to be launched: two kernels, one after the other.
class weight_gradient {
  public:
    template <class Loader>
    weight_gradient(Loader&& loader, problem const& problem, config const& config)
        : home(loader.target_device()),
          compiled_problem(problem),
          kernels(load(loader, problem, config)) {}
    template <class Loader>
    weight_gradient(Loader&& loader, problem const& problem)
        : weight_gradient(loader, problem,
                          best_config(problem, loader.target_device().arch(), configs_of(loader))) {
    }

    // The size of the workspace, in floats. Launches that may run at the same time need one each.
    std::size_t workspace_floats() const { return kernels.workspace_bytes / sizeof(float); }
    void launch(stream const&, wgrad_args<float> const&) const;
    void launch(stream const&, wgrad_args<half> const&) const;
    void launch(stream const&, wgrad_args<float, bfloat16> const&) const;
    void launch(stream const&, wgrad_args<bfloat16, bfloat16> const&) const;

  private:
    using cp_async_body = ready_body<wgrad_cp_async::config, wgrad_cp_async::params>;
    using tma_body = ready_body<wgrad_tma::config, wgrad_tma::params>;
    struct both_kernels {
        std::variant<cp_async_body, tma_body> partial_sums;
        kernel<wgrad_reduce::params> reduction;
        std::size_t workspace_bytes;
    };

    device home; // for which the kernels are loaded
    problem compiled_problem;
    both_kernels kernels;

    template <class Gradient, class T>
    void launch_both(stream const&, wgrad_args<Gradient, T> const&) const;

    template <class Loader>
    static both_kernels load(Loader& loader, problem const& problem, config const& config) {
        auto const load_body = [&]<class Config>(Config const& body_config) {
            auto const specs =
                specialize_gradient(problem, body_config, loader.target_device().arch());
            using params = decltype(specs.partial_sums)::params_type;
            auto partial_sums = loader.load(specs.partial_sums);
            return both_kernels{ready_body<Config, params>{body_config, std::move(partial_sums)},
                                loader.load(specs.reduction),
                                static_cast<std::size_t>(specs.workspace_bytes)};
        };
        if (auto const* const cp_async = std::get_if<wgrad_cp_async::config>(&config)) {
            return load_body(*cp_async);
        }
        if (auto const* const tma = std::get_if<wgrad_tma::config>(&config)) {
            return load_body(*tma);
        }
        refuse(problem, config);
    }
};

} // namespace spio::conv2d
