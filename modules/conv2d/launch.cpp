// Launches convolutions: with maps where the body wants them, and a workspace between two kernels.
// SPDX-License-Identifier: Apache-2.0
module;

#include "conv2d/boxes.h"
#include "conv2d/problem.h"
#include "conv2d/rows.h"
#include "conv2d/wgrad_boxes.h"
#include "conv2d/wgrad_rows.h"
#include "conv2d/wgrad_sum.h"

#include <cstddef>
#include <string>
#include <variant>

module spio.conv2d.launch;

import spio.conv2d;
import spio.launch;
import spio.spec;

namespace spio::conv2d {

void refuse(problem const& of, config const& by) {
    throw error("specialize", "conv2d " + text_of(of),
                "the configuration " + words_of(by) + " makes no " + word_of(of.pass));
}

void convolution::launch(stream const& in, walk_arguments const& is) const {
    if (auto const* const by = std::get_if<by_rows>(&body)) {
        in.launch(by->made, {is});
        return;
    }
    auto const& [by, made] = std::get<by_boxes>(body);
    problem const of = problem_of(made_for, is);
    in.launch(made, {.from = home.map(boxes::plan_of_read(of, by), is.from.get()),
                     .to = home.map(boxes::plan_of_made(of, by), is.to.get()),
                     .is = is});
}

template <class Gradient>
void weight_gradient::launch_both(stream const& in, wgrad_arguments<Gradient> const& is) const {
    problem const of = problem_of(made_for, is);
    auto const given = static_cast<std::size_t>(is.workspace.template extent<FLOAT>().get());
    if (given < workspace_floats()) {
        throw error("launch", "conv2d " + text_of(of),
                    "the workspace has " + std::to_string(given) + " floats, of at least " +
                        std::to_string(workspace_floats()));
    }
    auto* const workspace = reinterpret_cast<vec<float, 4>*>(is.workspace.get());
    if (auto const* const rows = std::get_if<by_rows>(&both.parts)) {
        in.launch(rows->made, {.x = is.x.get(),
                               .dy = is.dy.get(),
                               .workspace = workspace,
                               .n = of.n,
                               .h = of.h,
                               .w = of.w});
    } else {
        auto const& [by, made] = std::get<by_boxes>(both.parts);
        in.launch(made, {.x = home.map(wgrad_boxes::plan_of_x(of, by), is.x.get()),
                         .dy = home.map(wgrad_boxes::plan_of_dy(of, by), is.dy.get()),
                         .workspace = workspace,
                         .n = of.n,
                         .h = of.h,
                         .w = of.w});
    }
    in.launch(both.sum, {.workspace = workspace, .dw = is.dw.get(), .dbias = is.dbias.get()});
}

void weight_gradient::launch(stream const& in, wgrad_arguments<float> const& is) const {
    launch_both(in, is);
}
void weight_gradient::launch(stream const& in, wgrad_arguments<half> const& is) const {
    launch_both(in, is);
}

} // namespace spio::conv2d
