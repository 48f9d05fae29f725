// Launches convolutions: with tensor maps, and with a workspace between two kernels.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of conv2d's kernel templates. A tensor map is the descriptor by which TMA reads a
// tensor; a workspace has the partial sums that the second kernel of wgrad adds up.
// `compiled_problem` may leave sizes open: the tensors of a launch tell them.
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

void refuse(problem const& problem, config const& config) {
    std::string const pass = enumerator_name(problem.pass);
    bool const is_gradient = problem.pass == direction::wgrad;
    bool const is_gradient_config = std::holds_alternative<wgrad_cp_async::config>(config) ||
                                    std::holds_alternative<wgrad_tma::config>(config);
    std::string const reason =
        is_gradient != is_gradient_config
            ? "the configuration " + config_text(config) + " makes no " + pass
        : is_gradient ? "the class convolution makes no " + pass + ", weight_gradient does"
                      : "the class weight_gradient makes no " + pass + ", convolution does";
    throw error(error_kind::invalid, "specialize", "conv2d " + text_of(problem), reason);
}

namespace {

// The arguments as parameters of a kernel, which do not name the type of their elements.
template <class T> correlation_args<element_bits> bits_of(correlation_args<T> const& args) {
    auto const& [input, filter, bias, output] = args;
    return {.input = input_of<element_bits const>(
                reinterpret_cast<element_bits const*>(input.get()), input.template extent<N>(),
                input.template extent<H>(), input.template extent<W>(), input.template extent<C>()),
            .filter = filter_of<element_bits const>(
                reinterpret_cast<element_bits const*>(filter.get()), filter.template extent<K>(),
                filter.template extent<R>(), filter.template extent<S>()),
            .bias = bias,
            .output =
                output_of<element_bits>(reinterpret_cast<element_bits*>(output.get()),
                                        output.template extent<N>(), output.template extent<P>(),
                                        output.template extent<Q>(), output.template extent<K>())};
}

} // namespace

template <class T>
void convolution::launch_body(stream const& stream, correlation_args<T> const& args,
                              epilogue_args<T> const& epilogue) const {
    problem const problem = problem_of(compiled_problem, args, epilogue);
    // dgrad reads the preactivation of its input.
    auto* const preactivation = problem.has_derivative()
                                    ? const_cast<T*>(epilogue.input_preactivation.get())
                                    : epilogue.preactivation.get();
    if (auto const* const cp_async = std::get_if<cp_async_body>(&body)) {
        auto const& [config, kernel] = *cp_async;
        stream.launch(kernel, kernel.over(grid(problem, config)),
                      {.args = bits_of(args),
                       .epilogue = {.scale = epilogue.scale.get(),
                                    .residual = epilogue.residual.get(),
                                    .preactivation = preactivation}});
        return;
    }
    auto const& [config, kernel] = std::get<tma_body>(body);
    auto const input_plan = tma::input_plan(problem, config);
    auto const output_plan = tma::output_plan(problem, config);
    tma::params params = {.input = home.map(input_plan, args.input.get()),
                          .output = home.map(output_plan, args.output.get()),
                          .args = bits_of(args),
                          .scale = epilogue.scale.get()};
    if (problem.residual) params.residual = home.map(output_plan, epilogue.residual.get());
    if (problem.preactivation || problem.has_derivative()) {
        params.preactivation =
            home.map(problem.has_derivative() ? input_plan : output_plan, preactivation);
    }
    stream.launch(kernel, kernel.over(grid(problem, config)), params);
}

void convolution::launch(stream const& stream, correlation_args<half> const& args,
                         epilogue_args<half> const& epilogue) const {
    launch_body(stream, args, epilogue);
}
void convolution::launch(stream const& stream, correlation_args<bfloat16> const& args,
                         epilogue_args<bfloat16> const& epilogue) const {
    launch_body(stream, args, epilogue);
}

template <class Gradient, class T>
void weight_gradient::launch_both(stream const& stream, wgrad_args<Gradient, T> const& args) const {
    problem const problem = problem_of(compiled_problem, args);
    config const config = std::visit([](auto const& body) { return conv2d::config(body.config); },
                                     kernels.partial_sums);
    auto const reduced = reduction(problem, config);
    auto const needed = static_cast<std::size_t>(reduced.workspace_bytes) / sizeof(float);
    auto const floats = static_cast<std::size_t>(args.workspace.template extent<FLOAT>().get());
    if (floats < needed) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem),
                    "the workspace has " + std::to_string(floats) + " floats, of at least " +
                        std::to_string(needed));
    }
    auto* const workspace = reinterpret_cast<vec<float, 4>*>(args.workspace.get());
    auto const blocks = grid(problem, config);
    if (auto const* const cp_async = std::get_if<cp_async_body>(&kernels.partial_sums)) {
        stream.launch(cp_async->kernel, cp_async->kernel.over(blocks),
                      {.x = args.x.get(),
                       .dy = args.dy.get(),
                       .workspace = workspace,
                       .n = problem.n,
                       .h = problem.h,
                       .w = problem.w,
                       .c = problem.c,
                       .pad_h = problem.pad_h,
                       .pad_w = problem.pad_w});
    } else {
        auto const& [tma, kernel] = std::get<tma_body>(kernels.partial_sums);
        stream.launch(kernel, kernel.over(blocks),
                      {.x = home.map(wgrad_tma::x_plan(problem, tma), args.x.get()),
                       .dy = home.map(wgrad_tma::dy_plan(problem, tma), args.dy.get()),
                       .workspace = workspace,
                       .n = problem.n,
                       .h = problem.h,
                       .w = problem.w,
                       .c = problem.c,
                       .pad_h = problem.pad_h,
                       .pad_w = problem.pad_w});
    }
    auto parameters = reduced.params;
    parameters.workspace = workspace;
    parameters.dw = args.dw.get();
    parameters.dbias = args.dbias.get();
    stream.launch(kernels.reduction, kernels.reduction.over(reduced.grid), parameters);
}

void weight_gradient::launch(stream const& stream, wgrad_args<float> const& args) const {
    launch_both(stream, args);
}
void weight_gradient::launch(stream const& stream, wgrad_args<half> const& args) const {
    launch_both(stream, args);
}
void weight_gradient::launch(stream const& stream, wgrad_args<float, bfloat16> const& args) const {
    launch_both(stream, args);
}
void weight_gradient::launch(stream const& stream,
                             wgrad_args<bfloat16, bfloat16> const& args) const {
    launch_both(stream, args);
}

} // namespace spio::conv2d
