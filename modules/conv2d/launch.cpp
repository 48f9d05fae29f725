// Launches convolutions: with maps where the body wants them, and a workspace between two kernels.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <cstddef>
#include <string>
#include <variant>

module spio.conv2d.launch;

import spio.conv2d;
import spio.launch;
import spio.spec;

namespace spio::conv2d {

void refuse(problem const& of, config const& by) {
    throw error(error_kind::invalid, "specialize", "conv2d " + text_of(of),
                "the configuration " + words_of(by) + " makes no " + word_of(of.pass));
}

void convolution::launch(stream const& in, correlation_args const& args) const {
    if (auto const* const by = std::get_if<by_cp_async>(&body)) {
        in.launch(by->made, {args});
        return;
    }
    auto const& [by, made] = std::get<by_tma>(body);
    problem const of = problem_of(made_for, args);
    in.launch(made, {.input = home.map(tma::input_plan(of, by), args.input.get()),
                     .output = home.map(tma::output_plan(of, by), args.output.get()),
                     .args = args});
}

template <class Gradient>
void weight_gradient::launch_both(stream const& in, wgrad_args<Gradient> const& is) const {
    problem const of = problem_of(made_for, is);
    auto const given = static_cast<std::size_t>(is.workspace.template extent<FLOAT>().get());
    if (given < workspace_floats()) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(of),
                    "the workspace has " + std::to_string(given) + " floats, of at least " +
                        std::to_string(workspace_floats()));
    }
    auto* const workspace = reinterpret_cast<vec<float, 4>*>(is.workspace.get());
    if (auto const* const rows = std::get_if<by_cp_async>(&both.partial_sums)) {
        in.launch(rows->made, {.x = is.x.get(),
                               .dy = is.dy.get(),
                               .workspace = workspace,
                               .n = of.n,
                               .h = of.h,
                               .w = of.w});
    } else {
        auto const& [by, made] = std::get<by_tma>(both.partial_sums);
        in.launch(made, {.x = home.map(wgrad_tma::plan_of_x(of, by), is.x.get()),
                         .dy = home.map(wgrad_tma::plan_of_dy(of, by), is.dy.get()),
                         .workspace = workspace,
                         .n = of.n,
                         .h = of.h,
                         .w = of.w});
    }
    in.launch(both.reduction, {.workspace = workspace, .dw = is.dw.get(), .dbias = is.dbias.get()});
}

void weight_gradient::launch(stream const& in, wgrad_args<float> const& is) const {
    launch_both(in, is);
}
void weight_gradient::launch(stream const& in, wgrad_args<half> const& is) const {
    launch_both(in, is);
}

} // namespace spio::conv2d
