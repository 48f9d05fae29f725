// Specializes convolutions, and checks the arguments of their launches.
// SPDX-License-Identifier: Apache-2.0
//
// A spec (specialization) is what a kernel is compiled from: its text for a problem, a
// configuration and an architecture. A body is one of conv2d's kernel templates. fprop is the
// forward pass, dgrad the gradient of the input, wgrad that of the filter; x is the input and dy
// the gradient of the output.
module;

#include "conv2d/cp_async.h"
#include "conv2d/problem.h"
#include "conv2d/tma.h"
#include "conv2d/wgrad_cp_async.h"
#include "conv2d/wgrad_reduce.h"
#include "conv2d/wgrad_tma.h"

#include <climits>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

module spio.conv2d;

import spio.spec;

namespace spio::conv2d {

namespace {

constexpr int oldest_arch = 80; // has cp.async and the matrix instructions

// Throws if an architecture cannot run a body that needs TMA (if takes_tma) and `shared_bytes`
// bytes of shared memory per block.
void check_arch(problem const& problem, arch arch, bool takes_tma, int shared_bytes) {
    auto const fail = [&](std::string reason) {
        throw error(error_kind::unsupported, "specialize", "conv2d " + text_of(problem),
                    std::move(reason));
    };
    if (!arch.is_host && arch.number < oldest_arch) {
        fail("it takes at least sm_80, and not " + text_of(arch));
    }
    if (takes_tma && !arch.is_host && !chip_of(arch).has_tma) {
        fail("the tma bodies need the TMA engine of sm_90a, and " + text_of(arch) +
             (arch.is_newer_than_known() ? " is newer than they are" : " has none"));
    }
    if (shared_bytes > shared_bytes_of_block(arch)) {
        fail("a block takes " + std::to_string(shared_bytes) +
             " bytes of shared memory, of at most " + std::to_string(shared_bytes_of_block(arch)) +
             " for " + text_of(arch));
    }
}

// The specialization of the kernel template with the name `body`, with the parts that all of them
// share. `blocks` is how many blocks an SM should hold at once (0: any number). If `overlaps`, the
// launch may begin while the kernel before it in the stream ends.
template <class Config>
specialization request_of(problem const& problem, Config const& config, std::string const& pass,
                          std::string_view body, int blocks, bool overlaps, arch arch) {
    std::string const name(body);
    return {.family = "conv2d",
            .prefix = "conv2d_" + pass + "_" + name_of(problem),
            .problem = text_of(problem),
            .config = name + " " + text_of(config),
            .arch = arch,
            .arguments = "spio::conv2d::problem" + initializer_of(problem.without_unknown()) +
                         ", spio::conv2d::" + name + "::config" + initializer_of(config),
            .shape = {.block = {config.threads(problem)},
                      .shared_bytes = config.shared_bytes(problem),
                      .overlaps_previous = overlaps},
            .headers = kernel_text(),
            .body = body,
            .blocks = blocks};
}

// The specialization of a kernel of fprop or dgrad. Throws if it does not fit the problem or the
// architecture.
template <class Params, class Config>
typed_spec<Params> specialize_body(problem const& problem, Config const& config,
                                   std::string_view body, arch arch) {
    check(problem, config);
    check_arch(problem, arch, needs_maps(config), config.shared_bytes(problem));
    grid_of(problem, config.blocks_of(problem));
    return specialized<Params>(request_of(problem, config, enumerator_name(problem.pass), body,
                                          config.blocks, needs_maps(config), arch),
                               [problem, config](Params const& params) {
                                   auto const launched = problem_of(problem, params.args);
                                   return grid_of(launched, config.blocks_of(launched));
                               });
}

// The specializations of the two kernels of wgrad: partial sums, and the reduction that adds them.
template <class Params, class Config>
gradient_specs<Params> specialize_both(problem const& problem, Config const& config,
                                       std::string_view body, int blocks, arch arch) {
    check(problem, config);
    check_arch(problem, arch, needs_maps(config), config.shared_bytes(problem));
    bool const overlaps = needs_maps(config);
    auto const reduction =
        wgrad_reduce::config_for(problem, config.groups, config.splits, overlaps);
    auto const grid = grid_of(problem, config.blocks_of(problem));
    auto const reduction_grid = grid_of(problem, reduction.blocks_of(problem));
    return {specialized<Params>(request_of(problem, config, "wgrad", body, blocks, overlaps, arch),
                                [grid](Params const&) { return grid; }),
            specialized<wgrad_reduce::params>(
                request_of(problem, reduction, "wgrad_reduce", "wgrad_reduce", 0, overlaps, arch),
                [reduction_grid](wgrad_reduce::params const&) { return reduction_grid; }),
            config.workspace_bytes(problem)};
}

} // namespace

typed_spec<cp_async::params> specialize(problem const& problem, cp_async::config const& config,
                                        arch arch) {
    return specialize_body<cp_async::params>(problem, config, "cp_async", arch);
}
typed_spec<tma::params> specialize(problem const& problem, tma::config const& config, arch arch) {
    return specialize_body<tma::params>(problem, config, "tma", arch);
}
gradient_specs<wgrad_cp_async::params>
specialize_gradient(problem const& problem, wgrad_cp_async::config const& config, arch arch) {
    return specialize_both<wgrad_cp_async::params>(problem, config, "wgrad_cp_async", config.blocks,
                                                   arch);
}
gradient_specs<wgrad_tma::params> specialize_gradient(problem const& problem,
                                                      wgrad_tma::config const& config, arch arch) {
    return specialize_both<wgrad_tma::params>(problem, config, "wgrad_tma", 1, arch);
}

std::vector<spec> specs_of(problem const& problem, config const& config, arch arch) {
    return std::visit(
        [&](auto const& body_config) -> std::vector<spec> {
            if constexpr (requires { specialize(problem, body_config, arch); }) {
                return {specialize(problem, body_config, arch)};
            } else {
                auto const specs = specialize_gradient(problem, body_config, arch);
                return {specs.partial_sums, specs.reduction};
            }
        },
        config);
}

extent grid_of(problem const& problem, long long blocks) {
    if (blocks < 1 || blocks > INT_MAX) {
        throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem),
                    std::to_string(blocks) + " blocks are needed, of at least 1 and at most " +
                        std::to_string(INT_MAX));
    }
    return {static_cast<int>(blocks)};
}

extent grid(problem const& problem, config const& config) {
    check(problem);
    return std::visit(
        [&](auto const& body_config) { return grid_of(problem, body_config.blocks_of(problem)); },
        config);
}

namespace {

template <class... Ds, class Tensor> std::string sizes_text(Tensor const& tensor) {
    std::string text;
    ((text += (text.empty() ? "" : " x ") + std::to_string(tensor.template extent<Ds>().get())),
     ...);
    return text;
}
[[noreturn]] void refuse_launch(problem const& problem, std::string reason) {
    throw error(error_kind::invalid, "launch", "conv2d " + text_of(problem), std::move(reason));
}
// Kernels access tensors by vectors of 16 bytes, so each tensor must be aligned to 16.
void check_address(problem const& problem, char const* tensor, void const* address) {
    auto const value = reinterpret_cast<std::uintptr_t>(address);
    if (value == 0) refuse_launch(problem, std::string(tensor) + " is not there");
    if (value % 16 != 0) {
        refuse_launch(problem, std::string(tensor) + " begins at no multiple of 16 bytes");
    }
}
// Whether a kernel may be launched on this problem. For any other image no size may be computed: it
// might not fit into an int.
bool allows(problem const& compiled_problem, problem const& launched) {
    if (compiled_problem.knows_image()) {
        if (launched.h != compiled_problem.h || launched.w != compiled_problem.w) return false;
    } else {
        // check() converts the problem to text, which is too slow for every launch, so it is only
        // called to word the error.
        if (launched.h < 1 || launched.w < 1) check(launched);
        check_sides(launched);
    }
    return launched.n > 0 && (!compiled_problem.knows_n() || launched.n == compiled_problem.n);
}

// The type of elements of a tensor that is an argument.
template <class T>
constexpr auto precision_of_elements = same<T, float>  ? precision::fp32
                                       : same<T, half> ? precision::fp16
                                                       : precision::bf16;
template <class T> void check_type(problem const& problem, char const* tensors) {
    // Parameters of a kernel have element_bits for elements of any type: there is nothing to
    // compare.
    if constexpr (!same<T, element_bits>) {
        if (precision_of_elements<T> == precision_of(problem.type)) return;
        refuse_launch(problem, std::string(tensors) + " are of " +
                                   enumerator_name(precision_of_elements<T>) +
                                   ", but the kernel takes " + enumerator_name(problem.type));
    }
}

} // namespace

template <class T>
problem problem_of(problem const& compiled_problem, correlation_args<T> const& args) {
    bool const is_forward = compiled_problem.pass == direction::fprop;
    int const h =
        is_forward ? args.input.template extent<H>().get() : args.output.template extent<P>().get();
    int const w =
        is_forward ? args.input.template extent<W>().get() : args.output.template extent<Q>().get();
    problem const launched = compiled_problem.with(args.output.template extent<N>().get(), h, w);
    bool const is_allowed = allows(compiled_problem, launched);
    correlation const sizes = is_allowed ? correlation_of(launched) : correlation();
    bool const agrees = is_allowed &&
                        args.input.extents() == make_coordinates(N(launched.n), H(sizes.h),
                                                                 W(sizes.w), C(launched.c)) &&
                        args.output.extents() == make_coordinates(N(launched.n), P(sizes.p),
                                                                  Q(sizes.q), K(launched.c)) &&
                        args.filter.template extent<K>() == K(launched.c) &&
                        args.filter.template extent<R>() == R(launched.r) &&
                        args.filter.template extent<S>() == S(launched.s) &&
                        args.bias.template extent<K>() == K(launched.bias ? launched.c : 0);
    if (!agrees) {
        refuse_launch(compiled_problem, "the tensors have other sizes: input " +
                                            sizes_text<N, H, W, C>(args.input) + ", output " +
                                            sizes_text<N, P, Q, K>(args.output) + ", the filter " +
                                            sizes_text<K, R, S>(args.filter) + ", the bias " +
                                            sizes_text<K>(args.bias));
    }
    check_type<T>(compiled_problem, "input, filter and output");
    check_address(launched, "the input", args.input.get());
    check_address(launched, "the filter", args.filter.get());
    check_address(launched, "the output", args.output.get());
    if (launched.bias) check_address(launched, "the bias", args.bias.get());
    return launched;
}
template problem problem_of(problem const&, correlation_args<half> const&);
template problem problem_of(problem const&, correlation_args<bfloat16> const&);
template problem problem_of(problem const&, correlation_args<element_bits> const&);

template <class Gradient, class T>
problem problem_of(problem const& compiled_problem, wgrad_args<Gradient, T> const& args) {
    problem const launched =
        compiled_problem.with(args.x.template extent<N>().get(), args.x.template extent<H>().get(),
                              args.x.template extent<W>().get());
    bool const agrees =
        allows(compiled_problem, launched) && args.x.template extent<C>() == C(launched.c) &&
        args.dy.extents() ==
            make_coordinates(N(launched.n), P(launched.p()), Q(launched.q()), K(launched.c)) &&
        args.dw.extents() ==
            make_coordinates(K(launched.c), R(launched.r), S(launched.s), C(group_width)) &&
        args.dbias.template extent<K>() == K(launched.bias ? launched.c : 0);
    if (!agrees) {
        refuse_launch(compiled_problem,
                      "the tensors have other sizes: x " + sizes_text<N, H, W, C>(args.x) +
                          ", dy " + sizes_text<N, P, Q, K>(args.dy) + ", dw " +
                          sizes_text<K, R, S>(args.dw) + ", dbias " + sizes_text<K>(args.dbias));
    }
    check_type<T>(compiled_problem, "x and dy");
    constexpr auto actual = precision_of_elements<Gradient>;
    if (actual != compiled_problem.gradient) {
        refuse_launch(compiled_problem, "dw is of " + enumerator_name(actual) +
                                            ", but the kernel makes " +
                                            enumerator_name(compiled_problem.gradient));
    }
    check_address(launched, "x", args.x.get());
    check_address(launched, "dy", args.dy.get());
    check_address(launched, "dw", args.dw.get());
    check_address(launched, "the workspace", args.workspace.get());
    if (launched.bias) check_address(launched, "dbias", args.dbias.get());
    return launched;
}
template problem problem_of(problem const&, wgrad_args<float> const&);
template problem problem_of(problem const&, wgrad_args<half> const&);
template problem problem_of(problem const&, wgrad_args<float, bfloat16> const&);
template problem problem_of(problem const&, wgrad_args<bfloat16, bfloat16> const&);

} // namespace spio::conv2d
