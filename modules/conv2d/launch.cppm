// Convolutions that are ready on a device: a pass is one call, whichever body was chosen for it.
// SPDX-License-Identifier: Apache-2.0
//
//     spio::runtime const gpu;
//     conv2d::convolution const forward(gpu, {.n = 32, .c = 64, .h = 56, .w = 56});
//     forward.launch(stream, {.from = x, .filter = filter, .to = y});
module;

#include "conv2d/boxes.h"
#include "conv2d/problem.h"
#include "conv2d/rows.h"
#include "conv2d/wgrad_boxes.h"
#include "conv2d/wgrad_rows.h"
#include "conv2d/wgrad_sum.h"

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
    void launch(stream const&, walk_arguments const&) const;

  private:
    using by_rows = ready_body<rows::config, rows::params>;
    using by_boxes = ready_body<boxes::config, boxes::params>;

    device home;
    problem made_for;
    std::variant<by_rows, by_boxes> body;

    template <class Loader>
    static std::variant<by_rows, by_boxes> body_of(Loader& from, problem const& of,
                                                   config const& by) {
        auto const arch = from.on().arch();
        if (auto const* const c = std::get_if<rows::config>(&by)) {
            return by_rows{*c, from.load(specialize(of, *c, arch))};
        }
        if (auto const* const c = std::get_if<boxes::config>(&by)) {
            return by_boxes{*c, from.load(specialize(of, *c, arch))};
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
    void launch(stream const&, wgrad_arguments<float> const&) const;
    void launch(stream const&, wgrad_arguments<half> const&) const;

  private:
    using by_rows = ready_body<wgrad_rows::config, wgrad_rows::params>;
    using by_boxes = ready_body<wgrad_boxes::config, wgrad_boxes::params>;
    struct kernels {
        std::variant<by_rows, by_boxes> parts;
        kernel<wgrad_sum::params> sum;
        std::size_t workspace_bytes;
    };

    device home;
    problem made_for;
    kernels both;

    template <class Gradient>
    void launch_both(stream const&, wgrad_arguments<Gradient> const&) const;

    template <class Loader>
    static kernels both_of(Loader& from, problem const& of, config const& by) {
        auto const load = [&]<class Config>(Config const& c) {
            auto const specs = specialize_gradient(of, c, from.on().arch());
            auto parts = from.load(specs.parts);
            using params = decltype(specs.parts)::params_type;
            return kernels{ready_body<Config, params>{c, std::move(parts)}, from.load(specs.sum),
                           static_cast<std::size_t>(specs.workspace_bytes)};
        };
        if (auto const* const c = std::get_if<wgrad_rows::config>(&by)) return load(*c);
        if (auto const* const c = std::get_if<wgrad_boxes::config>(&by)) return load(*c);
        refuse(of, by);
    }
};

} // namespace spio::conv2d
