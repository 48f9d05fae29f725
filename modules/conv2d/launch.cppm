// Convolutions that are ready on a device: a pass is one call, whichever body was chosen for it.
// SPDX-License-Identifier: Apache-2.0
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

// A body, and how it was configured.
template <class Config, class Params> struct ready_body {
    Config by;
    kernel<Params> made;
};

[[noreturn]] void refuse(problem const&, config const&);

} // namespace spio::conv2d

export namespace spio::conv2d {

// fprop or dgrad. What loads kernels is a runtime, or anything else that has on() and load().
class convolution {
  public:
    template <class Loader>
    convolution(Loader&& from, problem const& of, config const& by)
        : home(from.on()), made_for(of), body(body_of(from, of, by)) {}
    template <class Loader>
    convolution(Loader&& from, problem const& of)
        : convolution(from, of, best_config(of, from.on().arch())) {}

    // The sizes are those of the problem, or others where it leaves them open.
    void launch(stream const&, correlation_args const&) const;

  private:
    using by_cp_async = ready_body<cp_async::config, cp_async::params>;
    using by_tma = ready_body<tma::config, tma::params>;

    device home;
    problem made_for;
    std::variant<by_cp_async, by_tma> body;

    template <class Loader>
    static std::variant<by_cp_async, by_tma> body_of(Loader& from, problem const& of,
                                                     config const& by) {
        auto const arch = from.on().arch();
        if (auto const* const c = std::get_if<cp_async::config>(&by)) {
            return by_cp_async{*c, from.load(specialize(of, *c, arch))};
        }
        if (auto const* const c = std::get_if<tma::config>(&by)) {
            return by_tma{*c, from.load(specialize(of, *c, arch))};
        }
        refuse(of, by);
    }
};

// wgrad: two kernels, one after the other.
class weight_gradient {
  public:
    template <class Loader>
    weight_gradient(Loader&& from, problem const& of, config const& by)
        : home(from.on()), made_for(of), both(both_of(from, of, by)) {}
    template <class Loader>
    weight_gradient(Loader&& from, problem const& of)
        : weight_gradient(from, of, best_config(of, from.on().arch())) {}

    // Launches that may run at the same time take a workspace each.
    std::size_t workspace_floats() const { return both.workspace_bytes / sizeof(float); }
    void launch(stream const&, wgrad_args<float> const&) const;
    void launch(stream const&, wgrad_args<half> const&) const;

  private:
    using by_cp_async = ready_body<wgrad_cp_async::config, wgrad_cp_async::params>;
    using by_tma = ready_body<wgrad_tma::config, wgrad_tma::params>;
    struct kernels {
        std::variant<by_cp_async, by_tma> partial_sums;
        kernel<wgrad_reduce::params> reduction;
        std::size_t workspace_bytes;
    };

    device home;
    problem made_for;
    kernels both;

    template <class Gradient> void launch_both(stream const&, wgrad_args<Gradient> const&) const;

    template <class Loader>
    static kernels both_of(Loader& from, problem const& of, config const& by) {
        auto const load = [&]<class Config>(Config const& c) {
            auto const specs = specialize_gradient(of, c, from.on().arch());
            auto partial_sums = from.load(specs.partial_sums);
            using params = decltype(specs.partial_sums)::params_type;
            return kernels{ready_body<Config, params>{c, std::move(partial_sums)},
                           from.load(specs.reduction),
                           static_cast<std::size_t>(specs.workspace_bytes)};
        };
        if (auto const* const c = std::get_if<wgrad_cp_async::config>(&by)) return load(*c);
        if (auto const* const c = std::get_if<wgrad_tma::config>(&by)) return load(*c);
        refuse(of, by);
    }
};

} // namespace spio::conv2d
