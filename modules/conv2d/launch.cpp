// Launches convolutions: with tensor maps, and with a workspace between two kernels.
// SPDX-License-Identifier: Apache-2.0
//
// fprop is the forward pass, dgrad computes the gradient of the input, wgrad that of the filter. A
// body is one of conv2d's kernel templates. A tensor map is the descriptor by which TMA reads a
// tensor; a workspace has the partial sums that the second kernel of wgrad adds up.
// `compiled_problem` may leave sizes open: the tensors of a launch tell them. `kernels` has what is
// ready to launch: generic kernels first, and later those compiled for the problem alone. `home` is
// the device that they are loaded on, a GPU or a simulated one. A residual is a tensor that is
// added to the output, a preactivation the value before the activation, of which dgrad takes the
// derivative.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <climits>
#include <cstddef>
#include <string>
#include <variant>

module spio.conv2d.launch;

import spio.conv2d;
import spio.launch;
import spio.spec;

namespace spio::conv2d {

// Throws: this configuration is none for the problem.
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

// The blocks of a launch, for a problem that is checked already.
extent blocks_of(problem const& problem, config const& config) {
    auto const blocks =
        std::visit([&](auto const& body) { return body.blocks_of(problem); }, config);
    // grid() words the error.
    return blocks < 1 || blocks > INT_MAX ? grid(problem, config)
                                          : extent{static_cast<int>(blocks)};
}

// The problem of a launch as its kernel sees it: a generic kernel knows no sizes, and has a bias.
template <class Ready> problem as_compiled(problem launched, Ready const& ready) {
    launched.made_for = ready.problem.made_for;
    launched.bias = ready.problem.bias;
    return launched;
}

} // namespace

template <class T>
void convolution::launch_body(stream const& stream, correlation_args<T> const& args,
                              epilogue_args<T> const& epilogue) const {
    problem const launched = problem_of(compiled_problem, args, epilogue);
    // Launches of other sizes are not timed: kernels are compared for the problem's own sizes.
    bool const is_comparable = launched.n == compiled_problem.n &&
                               launched.h == compiled_problem.h && launched.w == compiled_problem.w;
    kernels.launch(stream, is_comparable, [&](ready_correlation const& ready) {
        launch_ready(stream, ready, launched, args, epilogue);
    });
}

template <class T>
void convolution::launch_ready(stream const& stream, ready_correlation const& ready,
                               conv2d::problem const& launched, correlation_args<T> const& args,
                               epilogue_args<T> const& epilogue) const {
    problem const problem = as_compiled(launched, ready);
    auto const blocks = blocks_of(problem, ready.config);
    // dgrad reads the preactivation of its input.
    auto* const preactivation = problem.has_derivative()
                                    ? const_cast<T*>(epilogue.input_preactivation.get())
                                    : epilogue.preactivation.get();
    if (auto const* const kernel = std::get_if<spio::kernel<cp_async::params>>(&ready.body)) {
        stream.launch(*kernel, kernel->over(blocks),
                      {.args = bits_of(args),
                       .epilogue = {.scale = epilogue.scale.get(),
                                    .residual = epilogue.residual.get(),
                                    .preactivation = preactivation}});
        return;
    }
    auto const& config = std::get<tma::config>(ready.config);
    auto const& kernel = std::get<spio::kernel<tma::params>>(ready.body);
    auto const input_plan = tma::input_plan(problem, config);
    auto const output_plan = tma::output_plan(problem, config);
    tma::params params = {
        .input = {}, .output = {}, .args = bits_of(args), .scale = epilogue.scale.get()};
    if (!config.whole_rows) {
        params.input = home.map(input_plan, args.input.get());
        params.output = home.map(output_plan, args.output.get());
    }
    if (problem.residual) params.residual = home.map(output_plan, epilogue.residual.get());
    if (problem.preactivation || problem.has_derivative()) {
        params.preactivation =
            home.map(problem.has_derivative() ? input_plan : output_plan, preactivation);
    }
    stream.launch(kernel, kernel.over(blocks), params);
}

void convolution::launch(stream const& stream, correlation_args<half> const& args,
                         epilogue_args<half> const& epilogue) const {
    launch_body(stream, args, epilogue);
}
void convolution::launch(stream const& stream, correlation_args<bfloat16> const& args,
                         epilogue_args<bfloat16> const& epilogue) const {
    launch_body(stream, args, epilogue);
}

// The floats of the workspace of a launch: none where wgrad is one kernel.
static std::size_t workspace_floats_of(ready_gradient const& ready, problem const& launched) {
    if (!ready.reduction) return 0;
    auto const bytes = reduction(as_compiled(launched, ready), ready.config).workspace_bytes;
    return static_cast<std::size_t>(bytes) / sizeof(float);
}

std::size_t weight_gradient::workspace_floats() const {
    return workspace_floats_of(kernels.latest(), compiled_problem);
}

template <class Gradient, class T>
void weight_gradient::launch_both(stream const& stream, wgrad_args<Gradient, T> const& args) const {
    problem const launched = problem_of(compiled_problem, args);
    auto const floats = static_cast<std::size_t>(args.workspace.template extent<FLOAT>().get());
    auto const* ready = &kernels.current(stream);
    auto needed = workspace_floats_of(*ready, launched);
    if (floats < needed) { // the workspace may be that of the kernels that it began with
        ready = &kernels.first();
        needed = workspace_floats_of(*ready, launched);
    }
    problem const problem = as_compiled(launched, *ready);
    if (floats < needed) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem),
                    "the workspace has " + std::to_string(floats) + " floats, of at least " +
                        std::to_string(needed) + "; pass an array of workspace_floats() floats");
    }
    auto* const workspace = reinterpret_cast<vec<float, 4>*>(args.workspace.get());
    auto const blocks = blocks_of(problem, ready->config);
    if (auto const* const kernel =
            std::get_if<spio::kernel<wgrad_cp_async::params>>(&ready->partial_sums)) {
        stream.launch(*kernel, kernel->over(blocks),
                      {.x = args.x.get(),
                       .dy = args.dy.get(),
                       .workspace = workspace,
                       .sizes = wgrad::sizes_passed(problem),
                       .dw = args.dw.get(),
                       .dbias = args.dbias.get()});
    } else {
        auto const& tma = std::get<wgrad_tma::config>(ready->config);
        auto const& partial_sums = std::get<spio::kernel<wgrad_tma::params>>(ready->partial_sums);
        bool const has_maps = !tma.copies_rows(problem);
        auto const map = [&](auto const& plan, void const* data) {
            return has_maps ? home.map(plan, data) : tensor_map_words{};
        };
        stream.launch(partial_sums, partial_sums.over(blocks),
                      {.x = map(wgrad_tma::x_plan(problem, tma), args.x.get()),
                       .dy = map(wgrad_tma::dy_plan(problem, tma), args.dy.get()),
                       .x_rows = args.x.get(),
                       .dy_rows = args.dy.get(),
                       .workspace = workspace,
                       .sizes = wgrad::sizes_passed(problem),
                       .dw = args.dw.get(),
                       .dbias = args.dbias.get()});
    }
    if (!ready->reduction) return;
    auto const reduced = reduction(problem, ready->config);
    auto parameters = reduced.params;
    parameters.workspace = workspace;
    parameters.dw = args.dw.get();
    parameters.dbias = args.dbias.get();
    stream.launch(*ready->reduction, ready->reduction->over(reduced.grid), parameters);
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
