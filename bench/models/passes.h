// Launches of a pass on tensors that begin at given addresses.
// SPDX-License-Identifier: Apache-2.0
//
// A pass is the forward pass (fprop), or that which computes the gradient of the input (dgrad) or
// of the filter (wgrad, whose blocks share a workspace). Tensors of a launch lie behind one
// another, each at a multiple of 4096 bytes.
#pragma once

#include "conv2d/problem.h"

#include <cstddef>
#include <memory>
#include <variant>

import spio.conv2d;
import spio.conv2d.launch;
import spio.launch;

namespace spio::bench {

using namespace conv2d;

using pass_kernel = std::variant<convolution, weight_gradient>;
// A kernel of a sweep, which measures all configurations that are worth it.
struct swept_kernel {
    conv2d::config config;
    std::shared_ptr<pass_kernel const> pass;
};

// Where the tensors of a launch begin. The results are behind `output`.
struct addresses {
    std::byte *input, *filter, *output;
};

constexpr std::size_t rounded_up(std::size_t number, std::size_t unit) {
    return (number + unit - 1) / unit * unit;
}

// The sizes of a pass's tensors, in bytes.
struct tensor_sizes {
    std::size_t x, y, filter;

    explicit tensor_sizes(problem const& p)
        : x(2ULL * p.n * p.h * p.w * p.c),
          y(2ULL * p.n * p.p() * p.q() * p.c),
          filter(2ULL * p.c * p.taps() * group_width) {}
    std::size_t moved() const { return x + y + filter; }
};

// The bytes that wgrad takes for partial sums.
inline std::size_t workspace_bytes(pass_kernel const& pass) {
    auto const* const gradient = std::get_if<weight_gradient>(&pass);
    return gradient == nullptr ? 0 : 4 * gradient->workspace_floats();
}
// The bytes that a launch reads, and those behind `output` that it writes.
inline std::size_t input_bytes(problem const& p) {
    return rounded_up(tensor_sizes(p).x, 4096) + rounded_up(tensor_sizes(p).y, 4096);
}
// The bytes of all outputs of a pass; those of wgrad are the gradients, in float, which takes twice
// the bytes of the filter, and the workspace.
inline std::size_t output_bytes(problem const& p, std::size_t workspace) {
    tensor_sizes const sizes(p);
    if (p.pass != direction::wgrad) return p.pass == direction::fprop ? sizes.y : sizes.x;
    return rounded_up(2 * sizes.filter, 4096) + rounded_up(4ULL * p.c, 4096) + workspace;
}

// Launches the kernel of a pass on elements of type T.
template <class T>
void launch_typed(stream const& queue, problem const& p, pass_kernel const& pass,
                  addresses const& place) {
    auto const first = [](std::byte* bytes) { return reinterpret_cast<T*>(bytes); };
    auto const bias = reinterpret_cast<float*>(place.filter + tensor_sizes(p).filter);
    if (auto const* const kernel = std::get_if<convolution>(&pass)) {
        auto const sizes = correlation_of(p);
        correlation_args<T> const args = {
            .input = input_of<T const>(first(place.input), N(p.n), H(sizes.h), W(sizes.w), C(p.c)),
            .filter = filter_of<T const>(first(place.filter), K(p.c), R(p.r), S(p.s)),
            .bias = bias_of<float const>(p.bias ? bias : nullptr, K(p.bias ? p.c : 0)),
            .output = output_of<T>(first(place.output), N(p.n), P(sizes.p), Q(sizes.q), K(p.c))};
        kernel->launch(queue, args);
        return;
    }
    auto const& kernel = std::get<weight_gradient>(pass);
    auto* const dy = place.input + rounded_up(tensor_sizes(p).x, 4096);
    auto* const dbias = place.output + rounded_up(2 * tensor_sizes(p).filter, 4096);
    auto* const workspace = dbias + rounded_up(4ULL * p.c, 4096);
    wgrad_args<float, T> const args = {
        .x = input_of<T const>(first(place.input), N(p.n), H(p.h), W(p.w), C(p.c)),
        .dy = output_of<T const>(first(dy), N(p.n), P(p.p()), Q(p.q()), K(p.c)),
        .dw = filter_of<float>(reinterpret_cast<float*>(place.output), K(p.c), R(p.r), S(p.s)),
        .dbias =
            bias_of<float>(p.bias ? reinterpret_cast<float*>(dbias) : nullptr, K(p.bias ? p.c : 0)),
        .workspace = floats(reinterpret_cast<float*>(workspace),
                            FLOAT(static_cast<int>(kernel.workspace_floats())))};
    kernel.launch(queue, args);
}
inline void launch(stream const& queue, problem const& p, pass_kernel const& pass,
                   addresses const& place) {
    p.type == element_type::fp16 ? launch_typed<half>(queue, p, pass, place)
                                 : launch_typed<bfloat16>(queue, p, pass, place);
}

} // namespace spio::bench
